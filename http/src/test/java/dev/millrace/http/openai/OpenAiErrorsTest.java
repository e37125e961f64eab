package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.inference.InferenceAccess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are refused before a model is asked: which field is named, by which rule. */
class OpenAiErrorsTest {
  private static final String USER = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]";

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static HttpService service;

  @BeforeAll
  static void open() {
    InferenceAccess none = new InferenceAccess();
    none.attach(null);
    service = HttpService.open(HttpSettings.loopback(0), List.of(new OpenAiRouteGroup(none)));
  }

  @AfterAll
  static void close() {
    service.close();
    CLIENT.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"messages":[]}                          | messages | invalid_value | at least 1
          {"model":"default"}                      | messages | missing_required_parameter | required
          {"messages":[{"role":"boss","content":"x"}]}   | messages[0].role | invalid_value | must be one of
          {"messages":[{"content":"x"}]}           | messages[0].role | missing_required_parameter | required
          {"messages":[{"role":"user"}]}           | messages[0].content | missing_required_parameter | required
          {"messages":[{"role":"user","content":null}]} | messages[0].content | missing_required_parameter | required
          {"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]} | messages[0].content[0].type | unsupported_parameter | text only
          {"messages":[{"role":"tool","content":"x"}]}  | messages[0].tool_call_id | missing_required_parameter | required
          {"messages":[{"role":"assistant"}]}      | messages[0].content | missing_required_parameter | tool_calls
          {"messages":[{"role":"assistant","content":null,"tool_calls":[]}]} | messages[0].content | missing_required_parameter | tool_calls
          {"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]} | messages[1].tool_call_id | invalid_value | "a"
          {"messages":[{"role":"tool","tool_call_id":"a","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]} | messages[0].tool_call_id | invalid_value | earlier
          {"messages":[{"role":"user","content":"x","foo":1}]} | messages[0].foo | unknown_parameter | known
          {"messages":[{"role":"user","content":[{"type":"text","text":"x","foo":1}]}]} | messages[0].content[0].foo | unknown_parameter | known
          {"messages":[{"role":"user","content":[{"type":"text","text":"x","refusal":"y"}]}]} | messages[0].content[0].refusal | unknown_parameter | known
          {"messages":[{"role":"user","content":[{"type":"text"}]}]} | messages[0].content[0].text | missing_required_parameter | required
          {"messages":[{"role":"user","content":[{"type":"refusal","refusal":"x"}]}]} | messages[0].content[0].type | unsupported_parameter | text only
          {"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{no"}}]}]} | messages[1].tool_calls[1].function.arguments | invalid_value | JSON object
          {"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"[1]"}}]}]} | messages[1].tool_calls[1].function.arguments | invalid_value | JSON object
          {"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","foo":1,"function":{"name":"f","arguments":"{}"}}]}]} | messages[0].tool_calls[0].foo | unknown_parameter | known
          {USER,"tools":[{"type":"function","function":{"name":"f","foo":1}}]} | tools[0].function.foo | unknown_parameter | known
          {USER,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"},"foo":1}]}}} | tool_choice.allowed_tools.tools[0].foo | unknown_parameter | known
          {USER,"temprature":1}                    | temprature | unknown_parameter | did you mean "temperature"
          {USER,"temperature":2.5}                 | temperature | invalid_value | at most 2
          {USER,"temperature":"hot"}               | temperature | invalid_type | number
          {USER,"top_p":1.5}                       | top_p | invalid_value | at most 1
          {USER,"n":0}                             | n | invalid_value | at least 1
          {USER,"n":129}                           | n | invalid_value | at most 128
          {USER,"presence_penalty":3}              | presence_penalty | invalid_value | at most 2
          {USER,"logit_bias":{"7":101}}            | logit_bias[7] | invalid_value | at most 100
          {USER,"top_logprobs":3}                  | top_logprobs | invalid_value | needs logprobs
          {USER,"logprobs":true,"top_logprobs":21} | top_logprobs | invalid_value | at most 20
          {USER,"max_tokens":0}                    | max_tokens | invalid_value | at least 1
          {USER,"max_tokens":1,"max_completion_tokens":2} | max_tokens | invalid_value | send one of them
          {USER,"repeat_penalty":1,"repetition_penalty":2} | repeat_penalty | invalid_value | send one of them
          {USER,"stop":["a","b","c","d","e"]}      | stop | invalid_value | items
          {USER,"stream_options":{"include_usage":true}} | stream_options | invalid_value | stream: true
          {USER,"store":true}                      | store | unsupported_parameter | /v1/responses
          {USER,"functions":[{"name":"f"}]}        | functions | unsupported_parameter | tools
          {USER,"modalities":["audio"]}            | modalities | unsupported_parameter | text
          {USER,"tools":[{"type":"custom","custom":{"name":"f"}}]} | tools[0].type | unsupported_parameter | function
          {USER,"tools":[{"type":"function","function":{"name":"a b"}}]} | tools[0].function.name | invalid_value | match
          {USER,"tools":[{"type":"function"}]}     | tools[0].function | missing_required_parameter | required
          {USER,"tool_choice":"required"}          | tool_choice | invalid_value | needs tools
          {USER,"response_format":{"type":"json_schema","json_schema":{"name":"a"}}} | response_format.json_schema.schema | missing_required_parameter | required
          {USER,"response_format":{"type":"xml"}}  | response_format.type | invalid_value | must be one of
          {USER,"continue_final_message":true}     | continue_final_message | invalid_value | assistant
          {USER,"add_generation_prompt":false}     | add_generation_prompt | invalid_value | continue_final_message
          {USER,"metadata":{"a":1}}                | metadata.a | invalid_type | text
          {USER,"reasoning_effort":"huge"}         | reasoning_effort | invalid_value | must be one of
          """)
  void wrongFieldOfChatIsNamed(String body, String param, String code, String rule)
      throws Exception {
    assertRefused("/v1/chat/completions", body.replace("USER", USER), param, code, rule);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          /v1/completions | {}                               | prompt | missing_required_parameter | required
          /v1/completions | {"prompt":["x",""]}              | prompt[1] | invalid_value | empty
          /v1/completions | {"prompt":"x","suffix":"y"}      | suffix | unsupported_parameter | not supported
          /v1/completions | {"prompt":"x","best_of":3}       | best_of | unsupported_parameter | must be n
          /v1/completions | {"prompt":"x","echo":true,"logprobs":1} | echo | unsupported_parameter | logprobs
          /v1/completions | {"prompt":"x","logprobs":6}      | logprobs | invalid_value | at most 5
          /v1/completions | {"prompt":["x","y"],"n":128}     | prompt | invalid_value | 256
          /v1/embeddings  | {"input":["x",""]}               | input[1] | invalid_value | empty
          /v1/embeddings  | {"input":"x","dimensions":0}     | dimensions | invalid_value | at least 1
          /v1/embeddings  | {"input":"x","encoding_format":"hex"} | encoding_format | invalid_value | float
          /tokenize       | {"content":["a",4294967297]}     | content[1] | invalid_value | at most
          /tokenize       | {"content":["a",-1]}             | content[1] | invalid_value | at least
          /v1/completions | {"prompt":"x","stream_options":{}} | stream_options | invalid_value | stream
          /tokenize       | {"text":"x"}                     | text | unknown_parameter | known
          """)
  void wrongFieldOfOtherPathsIsNamed(
      String path, String body, String param, String code, String rule) throws Exception {
    assertRefused(path, body, param, code, rule);
  }

  private static void assertRefused(
      String path, String body, String param, String code, String rule) throws Exception {
    HttpResponse<String> response = post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    JsonObject error = Json.object(response.body()).object("error");
    assertThat(error.values()).containsOnlyKeys("message", "type", "param", "code");
    assertThat(error.string("param", null)).as(response.body()).isEqualTo(param);
    assertThat(error.string("code", null)).as(response.body()).isEqualTo(code);
    assertThat(error.string("message")).startsWith(param).contains(rule);
    assertThat(error.string("type")).isEqualTo("invalid_request_error");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"messages":[{"role":"user","content":[{"type":"LONG"}]}]} | text only
          {"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"LONG","content":"x"}]} | no earlier message
          {USER,"LONG":1}                                            | known
          """)
  void aLongValueIsNotRepeatedInFull(String body, String rule) throws Exception {
    String whole = body.replace("USER", USER).replace("LONG", "x".repeat(100_000));
    HttpResponse<String> response = post("/v1/chat/completions", whole);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).hasSizeLessThan(3_000).contains("xxx…", rule);
  }

  /** Everything that clients send by default is accepted; only the model is missing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\":\"default\",USER,\"temperature\":null,\"n\":null,\"stop\":null,\"tools\":null}",
        "{USER,\"user\":\"me\",\"store\":false,\"functions\":[],\"verbosity\":\"low\"}",
        "{USER,\"modalities\":[\"text\"],\"metadata\":{\"a\":\"b\"},\"service_tier\":\"flex\"}",
        "{USER,\"stream\":true,\"stream_options\":{\"include_usage\":true},\"tool_choice\":\"none\"}",
        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null,\"annotations\":[],"
            + "\"audio\":null,\"function_call\":null,\"tool_calls\":[],\"parsed\":null}]}",
        "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
            + "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}}]}]}",
        "{\"messages\":[{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\"},"
            + "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"},"
            + "{\"role\":\"assistant\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]},"
            + "{\"role\":\"assistant\",\"content\":null,\"reasoning\":null,\"tool_calls\":[{\"id\":\"a\","
            + "\"index\":0,\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\","
            + "\"parsed_arguments\":null}}]},"
            + "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}]}"
      })
  void acceptedFieldsReachTheModel(String body) throws Exception {
    HttpResponse<String> response = post("/v1/chat/completions", body.replace("USER", USER));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
    assertThat(Json.object(response.body()).object("error").string("code"))
        .isEqualTo("model_not_found");
  }

  @Test
  void errorsOfTheListenerHaveTheSameForm() throws Exception {
    assertThat(error(post("/v1/chat/completions", "{nonsense")).string("type"))
        .isEqualTo("invalid_request_error");
    HttpResponse<String> text =
        CLIENT.send(
            HttpRequest.newBuilder(uri("/v1/embeddings"))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("x"))
                .build(),
            BodyHandlers.ofString());
    assertThat(text.statusCode()).isEqualTo(415);
    assertThat(error(text).values()).containsKeys("message", "type", "param", "code");
    HttpResponse<String> get =
        CLIENT.send(
            HttpRequest.newBuilder(uri("/v1/chat/completions")).build(), BodyHandlers.ofString());
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(error(get).values()).containsKeys("message", "type", "param", "code");
    HttpResponse<String> lost = post("/v1/chat/nothing", "{}");
    assertThat(lost.statusCode()).isEqualTo(404);
    assertThat(error(lost).values()).containsKeys("message", "type", "param", "code");
  }

  @Test
  void serverWithoutModelsListsNone() throws Exception {
    HttpResponse<String> list =
        CLIENT.send(HttpRequest.newBuilder(uri("/v1/models")).build(), BodyHandlers.ofString());
    assertThat(list.body()).isEqualTo("{\"object\":\"list\",\"data\":[]}");
    HttpResponse<String> one =
        CLIENT.send(
            HttpRequest.newBuilder(uri("/v1/models/a%2Fb/c")).build(), BodyHandlers.ofString());
    assertThat(one.statusCode()).isEqualTo(404);
    assertThat(error(one).string("message")).contains("\"a/b/c\" is not served here");
    assertThat(error(one).string("code")).isEqualTo("model_not_found");
  }

  @Test
  void requestsBeforeModelsAreLoadedAreToldToRetry() throws Exception {
    try (HttpService early =
        HttpService.open(
            HttpSettings.loopback(0), List.of(new OpenAiRouteGroup(new InferenceAccess())))) {
      HttpResponse<String> response =
          CLIENT.send(
              HttpRequest.newBuilder(early.uri().resolve("/v1/models")).build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("Retry-After")).hasValue("2");
      assertThat(error(response).string("type")).isEqualTo("server_error");
    }
  }

  private static JsonObject error(HttpResponse<String> response) {
    return Json.object(response.body()).object("error");
  }

  private static URI uri(String path) {
    return service.uri().resolve(path);
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }
}
