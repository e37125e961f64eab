package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.Query;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Responses of the house model over sockets. */
class HouseModelResponsesTest {
  private static ResponseTestServer server;

  @BeforeAll
  static void open() throws Exception {
    server = new ResponseTestServer();
  }

  @AfterAll
  static void close() throws Exception {
    server.close();
  }

  private static String text(JsonObject response) {
    JsonObject message = JsonObject.of(response.list("output").getLast(), "item");
    return JsonObject.of(message.list("content").getFirst(), "part").string("text");
  }

  private static String id(String stream) {
    int at = stream.indexOf("resp_");
    return stream.substring(at, at + 37);
  }

  @Test
  void aFullDiskRefusesOnlyWhatIsStored() throws Exception {
    server.full = true;
    try {
      JsonObject error = server.refused(507, "POST", "/v1/responses", "{'input':'Hello'}");
      assertThat(error.string("type")).isEqualTo("server_error");
      assertThat(error.string("message")).contains("the disk of the server is full");
      server.post("/v1/responses", "{'input':'Hello','max_output_tokens':16,'store':false}");
    } finally {
      server.full = false;
    }
  }

  @Test
  void aStoredResponseIsReadAndContinuedAndDeleted() throws Exception {
    JsonObject first =
        server.post(
            "/v1/responses",
            "{'input':'Hello','seed':1,'max_output_tokens':16,'metadata':{'a':'b'}}");
    assertThat(first.string("status")).isIn("completed", "incomplete");
    assertThat(first.string("model")).isEqualTo(HouseModelServer.MODEL);
    assertThat(first.object("usage").integer("output_tokens")).isPositive();
    String path = "/v1/responses/" + first.string("id");
    assertThat(server.get(path)).isEqualTo(first);

    JsonObject second =
        server.post(
            "/v1/responses",
            "{'input':'More','max_output_tokens':16,'previous_response_id':'%s'}"
                .formatted(first.string("id")));
    JsonObject items =
        server.get("/v1/responses/" + second.string("id") + "/input_items?order=asc&limit=2");
    assertThat(items.list("data")).hasSize(2);
    assertThat(items.flag("has_more", false)).isTrue();
    assertThat(JsonObject.of(items.list("data").get(1), "item").string("id"))
        .isEqualTo(JsonObject.of(first.list("output").getFirst(), "item").string("id"));

    assertThat(server.delete(path).flag("deleted", false)).isTrue();
    assertThat(server.refused(404, "GET", path, null).get("code")).isNull();
    JsonObject gone =
        server.refused(
            400,
            "POST",
            "/v1/responses",
            "{'input':'x','previous_response_id':'%s'}".formatted(first.string("id")));
    assertThat(gone.string("code")).isEqualTo("previous_response_not_found");
    assertThat(gone.string("param")).isEqualTo("previous_response_id");
  }

  @Test
  void aResponseThatIsNotStoredLeavesNothing() throws Exception {
    int before = server.store.list(Query.all()).size();
    JsonObject response =
        server.post(
            "/v1/responses", "{'input':'Hello','store':false,'max_output_tokens':16,'seed':1}");
    assertThat(text(response)).isNotEmpty();
    String stream =
        server.stream(
            "/v1/responses",
            "{'input':'Hello','store':false,'stream':true,'max_output_tokens':16}");
    assertThat(stream).contains("event: response.created").endsWith("data: [DONE]\n\n");
    assertThat(server.store.list(Query.all())).hasSize(before);
    server.refused(404, "GET", "/v1/responses/" + response.string("id"), null);
  }

  @Test
  void everyReplayOfAStreamHasTheSameBytesFromAnyNumber() throws Exception {
    String live =
        server.stream(
            "/v1/responses", "{'input':'Once','stream':true,'seed':3,'max_output_tokens':16}");
    String path = "/v1/responses/" + id(live) + "?stream=true";
    assertThat(server.events(path)).isEqualTo(live);
    List<String> frames = List.of(live.split("(?<=\n\n)"));
    for (int after : new int[] {0, 1, frames.size() / 2, frames.size() - 2}) {
      String rest = String.join("", frames.subList(after + 1, frames.size()));
      assertThat(server.events(path + "&starting_after=" + after)).isEqualTo(rest);
    }
    assertThat(live.split("event: response.output_text.delta", -1).length).isBetween(2, 17);
    String stored =
        server.stream(
            "/v1/responses",
            "{'input':'Once','store':false,'stream':true,'seed':3,'max_output_tokens':16}");
    assertThat(types(stored)).isEqualTo(types(live));
  }

  private static List<String> types(String stream) {
    return stream.lines().filter(line -> line.startsWith("event: ")).toList();
  }

  @Test
  void aBackgroundResponseIsQueuedAtOnceAndCanBeCancelled() throws Exception {
    JsonObject queued =
        server.post(
            "/v1/responses", "{'input':'Long','background':true,'max_output_tokens':900,'seed':2}");
    assertThat(queued.string("status")).isEqualTo("queued");
    String path = "/v1/responses/" + queued.string("id");
    JsonObject cancelled = server.post(path + "/cancel", "");
    assertThat(cancelled.string("status")).isIn("cancelled", "completed", "incomplete");
    assertThat(server.post(path + "/cancel", "")).isEqualTo(cancelled);
    String events = server.events(path + "?stream=true");
    assertThat(events).contains("event: response.queued").endsWith("data: [DONE]\n\n");
    assertThat(server.events(path + "?stream=true")).isEqualTo(events);
  }

  @Test
  void aStoredStreamGoesOnWithoutItsClient() throws Exception {
    List<String> seen = new ArrayList<>();
    HttpResponse<InputStream> response =
        server.open(
            "/v1/responses", "{'input':'Go','stream':true,'seed':5,'max_output_tokens':40}");
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine();
          line != null && !line.startsWith("event: response.output_text.delta");
          line = reader.readLine()) {
        seen.add(line);
      }
    }
    String path = "/v1/responses/" + id(String.join("\n", seen));
    String whole = server.events(path + "?stream=true");
    assertThat(whole).startsWith(String.join("\n", seen)).endsWith("data: [DONE]\n\n");
    assertThat(server.get(path).string("status")).isIn("completed", "incomplete");
  }

  @Test
  void aRequiredToolIsCalledAndTheConversationGoesOn() throws Exception {
    String tool =
        """
        {'type':'function','name':'pick','parameters':{'type':'object',
        'properties':{'city':{'type':'string','enum':['Paris','Rome']}},
        'required':['city'],'additionalProperties':false}}
        """;
    JsonObject first =
        server.post(
            "/v1/responses",
            "{'input':'Pick one','tools':[%s],'tool_choice':'required','max_output_tokens':80}"
                .formatted(tool));
    JsonObject call = JsonObject.of(first.list("output").getLast(), "item");
    assertThat(call.string("type")).isEqualTo("function_call");
    assertThat(Json.object(call.string("arguments")).string("city")).isIn("Paris", "Rome");
    assertThat(server.events("/v1/responses/" + first.string("id") + "?stream=true"))
        .contains("event: response.function_call_arguments.done")
        .endsWith("data: [DONE]\n\n");
    JsonObject second =
        server.post(
            "/v1/responses",
            """
            {'previous_response_id':'%s','max_output_tokens':16,
            'input':[{'type':'function_call_output','call_id':'%s','output':'sunny'}]}
            """
                .formatted(first.string("id"), call.string("call_id")));
    assertThat(text(second)).isNotEmpty();
  }

  @Test
  void whatDoesNotFitIsRefusedOrShortened() throws Exception {
    String word = "word ".repeat(2_000);
    JsonObject error =
        server.refused(400, "POST", "/v1/responses", "{'input':'%s'}".formatted(word));
    assertThat(error.string("code")).isEqualTo("context_length_exceeded");
    assertThat(error.string("message")).contains("maximum context length", "1024");
    JsonObject shortened =
        server.post(
            "/v1/responses",
            "{'input':[{'role':'user','content':'%s'},{'role':'user','content':'Hi'}],'truncation':'auto','max_output_tokens':16}"
                .formatted(word));
    assertThat(server.get("/v1/responses/" + shortened.string("id") + "/input_items").list("data"))
        .hasSize(1);
    assertThat(server.post("/v1/responses/input_tokens", "{'input':'Hi'}").integer("input_tokens"))
        .isPositive();
  }

  @Test
  void whatCanNeverRunIsRefusedBeforeItIsStored() throws Exception {
    int before = server.store.list(Query.all()).size();
    JsonObject bias =
        server.refused(400, "POST", "/v1/responses", "{'input':'x','logit_bias':{'999999':1}}");
    assertThat(bias.string("param")).isEqualTo("logit_bias");
    String schema = "{'type':'json_schema','name':'a','schema':{'type':'bogus'}}";
    server.refused(
        400, "POST", "/v1/responses", "{'input':'x','text':{'format':%s}}".formatted(schema));
    String pattern = "{'type':'string','pattern':'^[ab]*a[ab]{20}$'}";
    JsonObject costly =
        server.refused(
            400,
            "POST",
            "/v1/responses",
            "{'input':'x','text':{'format':{'type':'json_schema','name':'a','schema':{'type':'object','properties':{'a':%s}}}}}"
                .formatted(pattern));
    assertThat(costly.string("message")).contains("more than");
    assertThat(server.store.list(Query.all())).hasSize(before);
  }

  @Test
  void anotherKeysResponseDoesNotExist() throws Exception {
    JsonObject made =
        server.post("/v1/responses", "{'input':'x','max_output_tokens':16,'background':true}");
    String id = made.string("id");
    String path = "/v1/responses/" + id;
    server.events(path + "?stream=true"); // to its end
    JsonObject before = server.get(path);
    for (String read : List.of(path, path + "?stream=true", path + "/input_items")) {
      server.refusedForOther(404, "GET", read, null);
    }
    server.refusedForOther(404, "POST", path + "/cancel", "");
    server.refusedForOther(404, "DELETE", path, null);
    String next = "{'input':'x','previous_response_id':'%s'}".formatted(id);
    for (String all : List.of("/v1/responses", "/v1/responses/input_tokens")) {
      assertThat(server.refusedForOther(400, "POST", all, next).string("code"))
          .isEqualTo("previous_response_not_found");
    }
    String item = JsonObject.of(before.list("output").getFirst(), "item").string("id");
    String reference = "{'input':[{'type':'item_reference','id':'%s'}]}".formatted(item);
    assertThat(server.refusedForOther(400, "POST", "/v1/responses", reference).string("param"))
        .isEqualTo("input[0].id");
    assertThat(server.get(path)).isEqualTo(before);
  }

  @Test
  void aJobOfTheJobApiIsNeverAResponse() throws Exception {
    int before = server.store.list(Query.all()).size();
    String data =
        "'data':{'openai_response':{'owner':'ben','created_at':1,'request':{'model':'x'}}}";
    String stages = ",'stages':[{'type':'generate','tasks':[{'input':'x'}]}]";
    assertThat(
            server
                .answer(400, "POST", "/v1/jobs", "{'name':'forged'," + data + "}")
                .string("message"))
        .contains("openai_response", "reserved");
    assertThat(
            server
                .answer(400, "POST", "/v1/pipelines", "{" + data + stages + "}")
                .string("message"))
        .contains("openai_response", "reserved");
    assertThat(
            server
                .refused(
                    400,
                    "POST",
                    "/api/jobs",
                    "{'action':'pipeline','inputs':{" + data + stages + "}}")
                .toString())
        .contains("openai_response", "reserved");
    assertThat(server.store.list(Query.all())).hasSize(before);
  }

  @Test
  void anUnstoredResponseEndsWithItsClient() throws Exception {
    long before = server.stats().tokens().generated();
    HttpResponse<InputStream> response =
        server.open(
            "/v1/responses",
            "{'input':'Go','store':false,'stream':true,'max_output_tokens':900,"
                + "'logit_bias':{'%s':-100}}".formatted(endToken()));
    response.body().readNBytes(6_000);
    response.body().close();
    await().until(() -> server.stats().models().stream().allMatch(model -> model.running() == 0));
    assertThat(server.stats().tokens().generated() - before).isLessThan(800);
  }

  /** The id of the token that ends a turn. */
  private static Object endToken() throws Exception {
    return server.post("/tokenize", "{'content':'<|end|>'}").list("tokens").getFirst();
  }

  @Test
  void pathsThatAreNotOfJobsHaveOpenAisErrors() throws Exception {
    for (String path : List.of("/v1/foo", "/v1/audio/speech", "/v1/images", "/v1")) {
      assertThat(server.refused(404, "POST", path, "{}").values())
          .containsOnlyKeys("message", "type", "param", "code");
    }
    for (String path : List.of("/v1/chat/completions", "/v1/embeddings", "/v1/responses")) {
      assertThat(server.refused(405, "GET", path, null).string("type"))
          .isEqualTo("invalid_request_error");
    }
    assertThat(server.answer(404, "GET", "/v1/jobs/x/y/z", null).values())
        .containsOnlyKeys("message", "code");
    assertThat(server.answer(405, "DELETE", "/v1/pipelines", null).values())
        .containsOnlyKeys("message", "code");
  }

  @Test
  void whatAModelRefusesHasTheClientsName() throws Exception {
    for (boolean store : new boolean[] {true, false}) {
      String start = "{'input':'x','store':%b,".formatted(store);
      assertParam("reasoning.effort", start + "'reasoning':{'effort':'high'}}");
      assertParam(
          "text.format.schema",
          start + "'text':{'format':{'type':'json_schema','name':'a','schema':{'type':'bogus'}}}}");
      assertParam(
          "tools[1].parameters",
          start
              + "'tool_choice':'required','tools':[{'type':'function','name':'a','parameters':{}},"
              + "{'type':'function','name':'b','parameters':{'type':'object','not':{}}}]}");
      assertParam(
          "input[1].call_id",
          "{'store':%b,'input':[{'role':'user','content':'x'},".formatted(store)
              + "{'type':'function_call_output','call_id':'c','output':'o'}]}");
    }
  }

  private static void assertParam(String param, String body) throws Exception {
    JsonObject error = server.refused(400, "POST", "/v1/responses", body);
    assertThat(error.string("param", null)).as(error.toString()).isEqualTo(param);
    assertThat(error.string("message")).startsWith(param + " ");
  }

  @Test
  void logprobsAreTheSameStoredAndNot() throws Exception {
    String body =
        "{'input':'Once','seed':5,'max_output_tokens':16,'top_logprobs':2,'store':%b,"
            + "'include':['message.output_text.logprobs']}";
    Object stored = logprobs(server.post("/v1/responses", body.formatted(true)));
    assertThat(stored).isEqualTo(logprobs(server.post("/v1/responses", body.formatted(false))));
    assertThat((List<?>) stored).isNotEmpty();
  }

  private static Object logprobs(JsonObject response) {
    JsonObject message = JsonObject.of(response.list("output").getLast(), "item");
    return JsonObject.of(message.list("content").getFirst(), "part").list("logprobs");
  }

  @Test
  void outputIsAcceptedAsTheNextInput() throws Exception {
    JsonObject first =
        server.post(
            "/v1/responses",
            "{'input':'x','store':false,'max_output_tokens':16,"
                + "'include':['message.output_text.logprobs','reasoning.encrypted_content']}");
    List<Object> items = new ArrayList<>(first.list("output"));
    items.add(Map.of("role", "user", "content", "y"));
    JsonObject second =
        server.post(
            "/v1/responses",
            "{'store':false,'max_output_tokens':16,'input':" + Json.write(items) + "}");
    assertThat(text(second)).isNotNull();
  }
}
