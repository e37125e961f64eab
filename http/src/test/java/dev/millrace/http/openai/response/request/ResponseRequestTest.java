package dev.millrace.http.openai.response.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.response.stream.ResponseIds;
import dev.millrace.http.route.Problem;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseRequestTest {
  private static final ResponseIds IDS = new ResponseIds("0123456789abcdef0123456789abcdef");

  private static ResponseRequest read(String body) {
    return ResponseRequest.of(Json.object(body.replace('\'', '"')), IDS, true);
  }

  private static JsonObject data(String body) {
    ResponseRequest request = read(body);
    return request.taskData(request.input());
  }

  private static String messages(String body) {
    return Json.write(data(body).get("messages")).replace('"', '\'');
  }

  private static void assertRefused(String body, String field, String rule) {
    assertThatThrownBy(() -> read(body))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.field()).isNotNull();
              assertThat(problem.field().path()).isEqualTo(field);
              assertThat(problem.getMessage()).contains(rule);
            });
  }

  @Test
  void aTextIsAUsersMessageAfterTheInstructions() {
    assertThat(messages("{'input':'Hi','instructions':'Be brief.'}"))
        .isEqualTo("[{'role':'system','content':'Be brief.'},{'role':'user','content':'Hi'}]");
  }

  @Test
  void whatTheAssistantDidInARowIsOneMessage() {
    assertThat(
            messages(
                """
                {'input':[
                  {'role':'user','content':[{'type':'input_text','text':'Wea'},{'type':'input_text','text':'ther?'}]},
                  {'type':'reasoning','id':'rs_1','summary':[],'content':[{'type':'reasoning_text','text':'Hm'}]},
                  {'type':'message','role':'assistant','content':[{'type':'output_text','text':'Look'}]},
                  {'type':'function_call','call_id':'c1','name':'w','arguments':'{}'},
                  {'type':'function_call','call_id':'c2','name':'w','arguments':'{ }'},
                  {'type':'function_call_output','call_id':'c1','output':'sun'},
                  {'type':'function_call_output','call_id':'c2','output':[{'type':'input_text','text':'rain'}]},
                  {'role':'assistant','content':'Sun.'},
                  {'role':'assistant','content':'Rain.'},
                  {'role':'developer','content':'Stop'}]}
                """))
        .isEqualTo(
            "[{'role':'user','content':'Weather?'},"
                + "{'role':'assistant','content':'Look','reasoning_content':'Hm','tool_calls':["
                + "{'id':'c1','type':'function','function':{'name':'w','arguments':'{}'}},"
                + "{'id':'c2','type':'function','function':{'name':'w','arguments':'{ }'}}]},"
                + "{'role':'tool','tool_call_id':'c1','content':'sun'},"
                + "{'role':'tool','tool_call_id':'c2','content':'rain'},"
                + "{'role':'assistant','content':'Sun.'},{'role':'assistant','content':'Rain.'},"
                + "{'role':'developer','content':'Stop'}]");
  }

  /** Its arguments break off: no template could write it. */
  @Test
  void aCallThatIsNotCompleteIsLeftOut() {
    assertThat(
            messages(
                """
                {'input':[
                  {'role':'user','content':'Weather?'},
                  {'type':'function_call','call_id':'c1','name':'w','arguments':'{}','status':'completed'},
                  {'type':'function_call','call_id':'c2','name':'w','arguments':'{1','status':'incomplete'}]}
                """))
        .isEqualTo(
            "[{'role':'user','content':'Weather?'},{'role':'assistant','content':'','tool_calls':["
                + "{'id':'c1','type':'function','function':{'name':'w','arguments':'{}'}}]}]");
  }

  @Test
  void parametersGetTheNamesOfGenerateTasks() {
    JsonObject data =
        data(
            """
            {'input':'x','model':'m','max_output_tokens':9,'temperature':0.5,'seed':4,
             'reasoning':{'effort':'low'},'include':['message.output_text.logprobs'],'top_logprobs':3,
             'text':{'format':{'type':'json_schema','name':'n','schema':{'type':'object'},'strict':true}},
             'tools':[{'type':'function','name':'f','parameters':{'type':'object'}}],
             'tool_choice':{'type':'function','name':'f'},'parallel_tool_calls':false}
            """);
    data.values().remove("messages");
    assertThat(data.toString().replace('"', '\''))
        .isEqualTo(
            "{'model':'m','temperature':0.5,'seed':4,'max_tokens':9,"
                + "'tools':[{'type':'function','function':{'name':'f','parameters':"
                + "{'type':'object'},'strict':true}}],"
                + "'tool_choice':{'type':'function','function':{'name':'f'}},"
                + "'parallel_tool_calls':false,'reasoning_effort':'low','response_format':"
                + data.object("response_format").toString().replace('"', '\'')
                + ",'logprobs':3}");
    assertThat(data.object("response_format").object("json_schema").toString())
        .contains("\"schema\":{\"type\":\"object\"}", "\"strict\":true");
  }

  @Test
  void allowedToolsAreNestedAsInChat() {
    JsonObject choice =
        data("""
        {'input':'x','tools':[{'type':'function','name':'f'}],'tool_choice':
         {'type':'allowed_tools','mode':'required','tools':[{'type':'function','name':'f'}]}}
        """)
            .object("tool_choice");
    assertThat(choice.object("allowed_tools").string("mode")).isEqualTo("required");
    assertThat(Json.write(choice.object("allowed_tools").list("tools")))
        .isEqualTo("[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]");
  }

  @Test
  void theResponseRepeatsEveryFieldAlsoUnsetOnes() {
    JsonObject fields = read("{'input':'x','service_tier':'flex','user':'anna'}").fields();
    assertThat(fields.values().keySet())
        .contains(
            "instructions",
            "max_output_tokens",
            "max_tool_calls",
            "previous_response_id",
            "safety_identifier",
            "prompt_cache_key");
    assertThat(fields.string("service_tier")).isEqualTo("flex");
    assertThat(fields.string("truncation")).isEqualTo("disabled");
    assertThat(fields.string("user")).isEqualTo("anna");
    assertThat(fields.flag("store", false)).isTrue();
    assertThat(fields.object("text").object("format").string("type")).isEqualTo("text");
  }

  @Test
  void itemsWithoutIdsGetThemFromTheResponse() {
    List<Map<String, Object>> items = List.copyOf(read("{'input':'x'}").input());
    assertThat(items.getFirst()).containsEntry("id", "msg_" + IDS.hex() + "_i0");
    assertThat(read("{'input':[{'type':'item_reference','id':'msg_1'},{'id':'msg_2'}]}").input())
        .allSatisfy(item -> assertThat(item).containsEntry("type", "item_reference"));
  }

  @Test
  void whatIsNotSupportedIsRefusedByName() {
    assertRefused("{'input':'x','conversation':'c'}", "conversation", "previous_response_id");
    assertRefused("{'input':'x','prompt':{'id':'p'}}", "prompt", "not supported");
    assertRefused("{'model':'m'}", "input", "is required");
    assertRefused("{'input':'x','background':true,'store':false}", "background", "needs store");
    assertRefused("{'input':'x','stream_options':{}}", "stream_options", "stream: true");
    assertRefused(
        "{'input':'x','text':{'format':{'type':'json_schema','name':'n'}}}",
        "text.format.schema",
        "is required");
    assertRefused("{'input':'x','top_logprobs':2}", "top_logprobs", "needs");
    assertRefused("{'input':'x','tools':[{'type':'web_search'}]}", "tools[0].type", "web_search");
    assertRefused("{'input':'x','tools':[{'type':'function'}]}", "tools[0].name", "is required");
    assertRefused("{'input':'x','tool_choice':'required'}", "tool_choice", "needs tools");
    assertRefused(
        "{'input':'x','tools':[{'type':'function','name':'f'}],'tool_choice':{'type':'mcp'}}",
        "tool_choice.type",
        "mcp");
    assertRefused("{'input':'x','reasoning':{'summary':'concise'}}", "reasoning.summary", "auto");
    assertRefused("{'input':[{'type':'web_search_call'}]}", "input[0].type", "web_search_call");
    assertRefused("{'input':[{'role':'tool','content':'x'}]}", "input[0].role", "must be");
    assertRefused(
        "{'input':[{'role':'user','content':[{'type':'input_image','image_url':'x'}]}]}",
        "input[0].content[0].type",
        "text only");
    assertRefused(
        "{'input':[{'type':'function_call','name':'f'}]}", "input[0].call_id", "required");
    String pairs =
        String.join(
            ",",
            java.util.stream.IntStream.range(0, 17).mapToObj(i -> "'k" + i + "':'v'").toList());
    assertRefused("{'input':'x','metadata':{" + pairs + "}}", "metadata", "16");
  }

  @Test
  void unknownNestedFieldsAreRefusedByTheirPath() {
    assertRefused("{'input':[{'role':'user','content':'x','foo':1}]}", "input[0].foo", "known");
    assertRefused(
        "{'input':[{'role':'user','content':[{'type':'input_text','text':'a'},"
            + "{'type':'input_text','text':'b','foo':1}]}]}",
        "input[0].content[1].foo",
        "type, text");
    assertRefused(
        "{'input':[{'type':'message','role':'user','content':'x','arguments':'{}'}]}",
        "input[0].arguments",
        "known");
    assertRefused(
        "{'input':[{'type':'function_call','call_id':'c','name':'f','arguments':'{}','output':'x'}]}",
        "input[0].output",
        "known");
    assertRefused(
        "{'input':[{'type':'function_call_output','call_id':'c',"
            + "'output':[{'type':'input_text','text':'x','annotations':[1]}]}]}",
        "input[0].output[0].annotations",
        "known");
    assertRefused(
        "{'input':[{'type':'reasoning','summary':[{'type':'summary_text','text':'x','y':1}],"
            + "'content':[{'type':'reasoning_text','text':'x'}]}]}",
        "input[0].summary[0].y",
        "known");
    assertRefused("{'input':[{'id':'msg_1','content':'x'}]}", "input[0].content", "known");
    assertRefused(
        "{'input':[{'type':'reasoning','summary':[],'encrypted_content':'x'}]}",
        "input[0].encrypted_content",
        "plain text");
    String tool = "{'input':'x','tools':[{'type':'function','name':'f'%s}]%s}";
    assertRefused(tool.formatted(",'function':{}", ""), "tools[0].function", "known");
    assertRefused(
        tool.formatted("", ",'tool_choice':{'type':'function','name':'f','mode':'auto'}"),
        "tool_choice.mode",
        "known");
    assertRefused(
        tool.formatted(
            "",
            ",'tool_choice':{'type':'allowed_tools','mode':'auto','tools':"
                + "[{'type':'function','name':'f','strict':true}]}"),
        "tool_choice.tools[0].strict",
        "known");
    assertRefused(
        tool.formatted(
            "", ",'tool_choice':{'type':'allowed_tools','mode':'auto','tools':[{'type':'mcp'}]}"),
        "tool_choice.tools[0].type",
        "mcp");
  }

  /** Clients send back the items of a response, with all their nulls. */
  @Test
  void whatAServerGivesIsAcceptedAgain() {
    assertThat(
            read("""
            {'input':[
              {'id':'rs_1','type':'reasoning','summary':[],'status':null,'encrypted_content':null,
               'content':[{'type':'reasoning_text','text':'Hm'}]},
              {'id':'msg_1','type':'message','role':'assistant','status':'completed',
               'phase':'final_answer','content':[{'type':'output_text','text':'a','parsed':{'b':1},
               'annotations':[],'logprobs':[{'token':'a','logprob':-1,'bytes':[97]}]},
               {'type':'refusal','refusal':'no'}]},
              {'id':'fc_1','type':'function_call','status':'completed','call_id':'c','name':'f',
               'arguments':'{}','parsed_arguments':{},'namespace':null},
              {'type':'function_call_output','call_id':'c','output':'x','id':null,'status':null}],
             'include':['reasoning.encrypted_content','file_search_call.results',
               'web_search_call.results','web_search_call.action.sources',
               'message.input_image.image_url','code_interpreter_call.outputs',
               'computer_call_output.output.image_url'],
             'stream':true,'stream_options':{'include_obfuscation':false},
             'tools':[{'type':'function','name':'f','defer_loading':null}]}
            """)
                .input())
        .hasSize(4);
  }

  @Test
  void aServerWithoutAStoreStoresNothing() {
    JsonObject plain = Json.object("{\"input\":\"x\"}");
    assertThat(ResponseRequest.of(plain, IDS, false).delivery().store()).isFalse();
    assertThatThrownBy(
            () -> ResponseRequest.of(Json.object("{\"input\":\"x\",\"store\":true}"), IDS, false))
        .hasMessageContaining("store");
  }

  @Test
  void truncationLeavesOutTheOldestItemsAndTheOutputsOfTheirCalls() {
    List<Map<String, Object>> items =
        List.copyOf(
            read("""
            {'input':[{'role':'system','content':'s'},{'role':'user','content':'1'},
             {'type':'function_call','call_id':'c','name':'f','arguments':'{}'},
             {'type':'function_call_output','call_id':'c','output':'o'},
             {'role':'assistant','content':'2'},{'role':'user','content':'3'}]}
            """)
                .input());
    assertThat(InputTruncation.shorten(items, some -> some.size() <= 5)).hasSize(5);
    List<Map<String, Object>> three =
        List.copyOf(InputTruncation.shorten(items, some -> some.size() <= 4));
    assertThat(three)
        .extracting(item -> item.get("role"))
        .containsExactly("system", "assistant", "user");
    assertThat(InputTruncation.shorten(items, some -> false)).hasSize(2);
    assertThat(InputTruncation.shorten(items, some -> true)).isEqualTo(items);
  }
}
