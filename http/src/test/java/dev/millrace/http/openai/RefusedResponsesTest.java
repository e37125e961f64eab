package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.TinyModels;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for responses that are refused: which field is named, by which rule. */
class RefusedResponsesTest {
  private static final String FUNCTION = "'tools':[{'type':'function','name':'f'}]";

  private static ResponseTestServer server;

  @BeforeAll
  static void open() throws Exception {
    server =
        new ResponseTestServer(
            Inference.open(
                InferenceSettings.of(List.of(TinyModels.llama())).withEngine(TinyModels.engine())));
  }

  @AfterAll
  static void close() throws Exception {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'input':'x','temprature':1} | temprature | unknown_parameter | temperature
          {'input':'x','include':['file_search_call.results','nonsense']} | include[1] | invalid_value | must be one of
          {'input':'x','max_output_tokens':15} | max_output_tokens | invalid_value | at least 16
          {'input':[CALL'arguments':'{no'}]}   | input[0].arguments | invalid_value | JSON object
          {'input':[CALL'arguments':'[1]'}]}   | input[0].arguments | invalid_value | JSON object
          {'input':'x','tools':[{'type':'function','name':'f'},{'type':'function','name':'f'}]} | tools[1].name | invalid_value | "f" again
          {'input':'x',FUNCTION,'tool_choice':{'type':'function'}} | tool_choice.name | missing_required_parameter | required
          {'input':'x',FUNCTION,'tool_choice':{'type':'allowed_tools','tools':[]}} | tool_choice.tools | invalid_value | at least one
          {'input':'x',FUNCTION,'tool_choice':{'type':'allowed_tools','tools':[{'type':'function'}]}} | tool_choice.tools[0].name | missing_required_parameter | required
          {'input':'x',FUNCTION,'tool_choice':{'type':'allowed_tools','mode':'no','tools':[{'type':'function','name':'f'}]}} | tool_choice.mode | invalid_value | auto or required
          """)
  void theFieldIsNamed(String body, String param, String code, String rule) throws Exception {
    String whole =
        body.replace("FUNCTION", FUNCTION)
            .replace("CALL", "{'type':'function_call','call_id':'c','name':'f',");
    JsonObject error = server.refused(400, "POST", "/v1/responses", whole);
    assertThat(error.string("param", null)).as(error.toString()).isEqualTo(param);
    assertThat(error.string("code")).isEqualTo(code);
    assertThat(error.string("message")).startsWith(param + " ").contains(rule);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'input':[{'type':'LONG'}]}                                    | supported are
          {'input':[{'role':'user','content':[{'type':'LONG'}]}]}        | text only
          {'input':[{'type':'item_reference','id':'LONG'}]}              | no stored response
          {'input':[{'type':'function_call_output','call_id':'LONG','output':'x'}]} | no earlier item
          {'input':'x','tools':[{'type':'LONG'}]}                        | only functions
          {'input':'x','tools':[],'tool_choice':{'type':'LONG'}}         | supported are
          {'input':'x',FUNCTION,'tool_choice':{'type':'function','name':'LONG'}} | tool_choice names
          {'input':'x','text':{'format':{'type':'json_schema','name':'a','schema':{'LONG':1}}}} | text.format.schema
          """)
  void aLongValueIsNotRepeatedInFull(String body, String rule) throws Exception {
    String whole = body.replace("FUNCTION", FUNCTION).replace("LONG", "x".repeat(100_000));
    JsonObject error = server.refused(400, "POST", "/v1/responses", whole);
    assertThat(error.string("message")).hasSizeLessThan(3_000).contains("xxx…", rule);
  }

  /** They are stored, and repeated in every response and in its events. */
  @ParameterizedTest
  @ValueSource(strings = {"user", "safety_identifier", "prompt_cache_key"})
  void aRepeatedFieldIsShort(String field) throws Exception {
    String body = "{'input':'x','%s':'%s'}".formatted(field, "x".repeat(513));
    JsonObject error = server.refused(400, "POST", "/v1/responses", body);
    assertThat(error.string("message"))
        .isEqualTo(field + " must have at most 512 characters, not 513");
  }

  @Test
  void argumentsThatBreakOffAreAcceptedOfACallThatIsIncomplete() throws Exception {
    JsonObject response =
        server.post(
            "/v1/responses",
            "{'store':false,'max_output_tokens':16,'input':[{'role':'user','content':'x'},"
                + "{'type':'function_call','call_id':'c','name':'f','arguments':'{\\'a',"
                + "'status':'incomplete'}]}");
    assertThat(response.string("status")).isIn("completed", "incomplete");
  }

  /** Clients write lists in queries in several ways. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "include=A",
        "include=A&include=B",
        "include%5B%5D=A&include%5B%5D=B",
        "include[]=A",
        "include[]=A&include[]=B"
      })
  void whatToIncludeMayBeAList(String query) throws Exception {
    JsonObject made = server.post("/v1/responses", "{'input':'x','max_output_tokens':16}");
    String path = "/v1/responses/" + made.string("id");
    String known =
        query
            .replace("=A", "=reasoning.encrypted_content")
            .replace("=B", "=file_search_call.results");
    assertThat(server.events(path + "?" + known)).isEqualTo(server.events(path));
    String wrong = known.replaceFirst("=[^&]*$", "=no");
    for (String all : List.of(path, path + "/input_items")) {
      JsonObject error = server.refused(400, "GET", all + "?" + wrong, null);
      assertThat(error.string("param")).startsWith("include");
      assertThat(error.string("message")).contains("must be one of");
    }
  }

  @Test
  void whatDoesNotExistIsNotFound() throws Exception {
    JsonObject model =
        server.refused(404, "POST", "/v1/responses", "{'input':'x','model':'gpt-9'}");
    assertThat(model.string("code")).isEqualTo("model_not_found");
    assertThat(server.refused(404, "GET", "/v1/responses/resp_1", null).string("message"))
        .contains("not found");
  }

  @Test
  void onlyAResponseOfTheBackgroundIsCancelled() throws Exception {
    JsonObject made = server.post("/v1/responses", "{'input':'x','max_output_tokens':16}");
    String path = "/v1/responses/" + made.string("id") + "/cancel";
    assertThat(server.refused(400, "POST", path, "").string("message")).contains("background");
  }
}
