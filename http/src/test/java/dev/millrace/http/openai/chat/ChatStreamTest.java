package dev.millrace.http.openai.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.LogCapture;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.FakeGeneration;
import dev.millrace.http.inference.GenerationSource;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.openai.answer.AnswerHead;
import dev.millrace.http.openai.answer.ChoiceReader;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.server.infer.direct.AnswerFinish;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Chat completions of made-up answers: the order of chunks, late errors, lost clients. */
class ChatStreamTest {
  private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]";
  private static final String STREAM = "{" + MESSAGES + ",\"stream\":true}";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Duration keepAlive = Duration.ofSeconds(10);
  private Function<DirectRequest, DirectGeneration> answers =
      request -> {
        throw new IllegalStateException("no answer for " + request);
      };
  private HttpService service = HttpService.open(HttpSettings.loopback(0), List.of(new Group()));

  @AfterEach
  void close() {
    service.close();
    client.close();
  }

  /** Chat over answers of the test. */
  private final class Group implements RouteGroup {
    @Override
    public String prefix() {
      return "/fake";
    }

    @Override
    public List<Route> routes() {
      return List.of(new Route("POST", "/fake/chat", "fakeChat", KeyScope.SUBMIT, this::chat));
    }

    private ApiResponse chat(ApiRequest call) throws InterruptedException {
      ChatRequest request = ChatRequest.of(call.bodyObject());
      AnswerHead head = new AnswerHead("chatcmpl-1", Instant.EPOCH, request.tier());
      GenerationSource source = asked -> answers.apply(asked);
      ChoiceReader reader =
          new ChoiceReader(source, ClientFields.chat(call.bodyObject()), keepAlive);
      List<DirectRequest> choices = request.choices(Instant.EPOCH);
      if (request.stream()) {
        return reader.stream(call, choices, events -> new ChatChunks(head, request, events));
      }
      ChatAnswer answer = new ChatAnswer(head, request);
      reader.collect(call, choices, answer);
      return ApiResponse.ok(answer.json());
    }

    @Override
    public JsonObject error(Problem problem, String requestId) {
      return OpenAiError.body(problem);
    }
  }

  private HttpRequest post(String body) {
    return HttpRequest.newBuilder(service.uri().resolve("/fake/chat"))
        .header("Content-Type", "application/json")
        .timeout(Duration.ofSeconds(20))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private List<String> stream(String body) throws Exception {
    HttpResponse<String> response = client.send(post(body), BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    List<String> data = new ArrayList<>();
    for (String event : response.body().split("\n\n")) {
      assertThat(event).startsWith("data: ");
      data.add(event.substring(6));
    }
    return data;
  }

  private static JsonObject choice(String chunk) {
    return JsonObject.of(Json.object(chunk).list("choices").getFirst(), "choice");
  }

  @Test
  void chunksComeInTheOrderThatClientsExpect() throws Exception {
    answers =
        _ ->
            new FakeGeneration()
                .parts(new OutputPart.Thought("hm"))
                .text("Hé")
                .text("llo")
                .end(AnswerFinish.STOP, new OutputPart.Text("!"));
    List<String> data =
        stream("{" + MESSAGES + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
    assertThat(data).hasSize(8);
    assertThat(data.getFirst())
        .isEqualTo(
            "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":0,"
                + "\"model\":\"fake\",\"service_tier\":\"default\",\"choices\":[{\"index\":0,"
                + "\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,"
                + "\"finish_reason\":null}],\"usage\":null}");
    assertThat(data.subList(1, 5).stream().map(it -> choice(it).object("delta").toString()))
        .containsExactly(
            "{\"reasoning_content\":\"hm\"}",
            "{\"content\":\"Hé\"}",
            "{\"content\":\"llo\"}",
            "{\"content\":\"!\"}");
    assertThat(choice(data.get(5)).object("delta").values()).isEmpty();
    assertThat(choice(data.get(5)).string("finish_reason")).isEqualTo("stop");
    JsonObject last = Json.object(data.get(6));
    assertThat(last.list("choices")).isEmpty();
    assertThat(last.object("usage").integer("total_tokens")).isEqualTo(8);
    assertThat(last.object("usage").object("prompt_tokens_details").integer("cached_tokens"))
        .isEqualTo(2);
    assertThat(last.object("usage").object("completion_tokens_details").integer("reasoning_tokens"))
        .isEqualTo(1);
    assertThat(data.getLast()).isEqualTo("[DONE]");
  }

  @Test
  void usageComesOnlyIfAskedFor() throws Exception {
    answers = _ -> new FakeGeneration().text("a").end(AnswerFinish.LENGTH);
    List<String> data = stream(STREAM);
    assertThat(data).hasSize(4).noneMatch(it -> it.contains("usage"));
    assertThat(choice(data.get(2)).string("finish_reason")).isEqualTo("length");
  }

  @Test
  void toolCallsAreSentAsNameAndFragments() throws Exception {
    answers =
        _ ->
            new FakeGeneration()
                .parts(new OutputPart.CallBegan(0, "f"), new OutputPart.CallArguments(0, "{\"a\":"))
                .parts(new OutputPart.CallArguments(0, "1}"), new OutputPart.CallEnded(0))
                .parts(new OutputPart.CallBegan(1, "g"), new OutputPart.CallArguments(1, "{}"))
                .end(AnswerFinish.TOOL_CALLS);
    List<JsonObject> calls = new ArrayList<>();
    List<String> data = stream(STREAM);
    for (String chunk : data.subList(1, 6)) {
      calls.add(JsonObject.of(choice(chunk).object("delta").list("tool_calls").getFirst(), "call"));
    }
    assertThat(calls.getFirst().string("id")).startsWith("call_").hasSize(29);
    assertThat(calls.getFirst().string("type")).isEqualTo("function");
    assertThat(calls.stream().map(it -> it.integer("index") + it.object("function").toString()))
        .containsExactly(
            "0{\"name\":\"f\",\"arguments\":\"\"}",
            "0{\"arguments\":\"{\\\"a\\\":\"}",
            "0{\"arguments\":\"1}\"}",
            "1{\"name\":\"g\",\"arguments\":\"\"}",
            "1{\"arguments\":\"{}\"}");
    assertThat(calls.get(1).values()).containsOnlyKeys("index", "function");
    assertThat(choice(data.get(6)).string("finish_reason")).isEqualTo("tool_calls");
  }

  @Test
  void aCallThatIsCutIsStreamedAsFarAsItWentAndLeftOutOfAWholeAnswer() throws Exception {
    answers =
        _ ->
            new FakeGeneration()
                .parts(
                    new OutputPart.CallBegan(0, "f"),
                    new OutputPart.CallArguments(0, "{}"),
                    new OutputPart.CallEnded(0))
                .parts(new OutputPart.CallBegan(1, "g"), new OutputPart.CallArguments(1, "{\"a"))
                .end(AnswerFinish.LENGTH);
    List<String> data = stream(STREAM);
    assertThat(data.get(4)).contains("\"arguments\":\"{\\\"a\"");
    assertThat(choice(data.get(5)).string("finish_reason")).isEqualTo("length");
    JsonObject whole =
        choice(client.send(post("{" + MESSAGES + "}"), BodyHandlers.ofString()).body());
    assertThat(whole.string("finish_reason")).isEqualTo("length");
    assertThat(whole.object("message").list("tool_calls"))
        .singleElement()
        .satisfies(
            call ->
                assertThat(JsonObject.of(call, "call").object("function").string("name"))
                    .isEqualTo("f"));
  }

  @Test
  void choicesInterleaveAndEachHasItsRole() throws Exception {
    FakeGeneration first = new FakeGeneration();
    answers = asked -> asked.choice() == 0 ? first : new FakeGeneration().text("b");
    HttpResponse<InputStream> response =
        client.send(
            post("{" + MESSAGES + ",\"stream\":true,\"n\":2}"), BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      assertThat(read(lines, "\"content\":\"b\"")).contains("\"index\":1");
      first.text("a");
      assertThat(read(lines, "\"content\":\"a\"")).contains("\"index\":0");
    }
    assertThat(first.closed.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static String read(BufferedReader lines, String until) throws Exception {
    String line = lines.readLine();
    while (!line.contains(until)) {
      line = lines.readLine();
    }
    return line;
  }

  @Test
  void refusalBeforeTheFirstByteIsAnOrdinaryError() throws Exception {
    answers =
        _ -> {
          throw new TaskRefused(
              TaskRefused.Reason.CONTEXT_LENGTH,
              null,
              "the prompt has 9 tokens; the maximum context length is 8",
              null);
        };
    HttpResponse<String> response = client.send(post(STREAM), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(400);
    JsonObject error = Json.object(response.body()).object("error");
    assertThat(error.string("code")).isEqualTo("context_length_exceeded");
    assertThat(error.string("param")).isEqualTo("messages");
    assertThat(error.string("message")).contains("9 tokens", "maximum context length is 8");
  }

  @Test
  void lateFailureIsAnErrorEventWithoutDone() throws Exception {
    answers = _ -> new FakeGeneration().text("a").end(AnswerFinish.FAILED);
    List<String> data = stream(STREAM);
    JsonObject error = Json.object(data.getLast()).object("error");
    assertThat(error.string("message")).isEqualTo("the answer failed: no memory");
    assertThat(error.string("type")).isEqualTo("server_error");
    assertThat(data).doesNotContain("[DONE]");
    assertThat(data.subList(0, data.size() - 1)).noneMatch(it -> it.contains("\"error\""));
  }

  @Test
  void silenceIsFilledWithComments() throws Exception {
    keepAlive = Duration.ofMillis(5);
    FakeGeneration slow = new FakeGeneration();
    answers = _ -> slow;
    HttpResponse<InputStream> response = client.send(post(STREAM), BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      read(lines, ": keep-alive");
      slow.text("a").end(AnswerFinish.STOP);
      read(lines, "\"content\":\"a\"");
      read(lines, "[DONE]");
    }
  }

  @Test
  void silenceIsFilledWhileThePromptIsComputed() throws Exception {
    keepAlive = Duration.ofMillis(5);
    FakeGeneration busy = new FakeGeneration().progressing();
    answers = _ -> busy;
    HttpResponse<InputStream> response = client.send(post(STREAM), BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      read(lines, ": keep-alive");
      busy.end(AnswerFinish.STOP);
      read(lines, "[DONE]");
    }
  }

  @Test
  void clientThatLeavesAWaitingAnswerCancelsIt() throws Exception {
    FakeGeneration silent = new FakeGeneration();
    answers = _ -> silent;
    String body = "{" + MESSAGES + "}";
    try (Socket socket = new Socket(service.address().getAddress(), service.address().getPort())) {
      send(socket, body);
      await().until(() -> service.running() == 1);
      assertThat(silent.closed.getCount()).isEqualTo(1);
    }
    assertThat(silent.closed.await(20, TimeUnit.SECONDS)).isTrue();
    await().until(() -> service.running() == 0);
  }

  @Test
  void clientThatLeavesAStreamCancelsIt() throws Exception {
    FakeGeneration endless = new FakeGeneration().text("a");
    answers = _ -> endless;
    HttpResponse<InputStream> response = client.send(post(STREAM), BodyHandlers.ofInputStream());
    response.body().close();
    assertThat(endless.closed.await(20, TimeUnit.SECONDS)).isTrue();
    await().until(() -> service.running() == 0);
  }

  @Test
  void clientThatDoesNotReadIsDroppedAndItsAnswerCancelled() throws Exception {
    service.close();
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofMillis(300));
    service = HttpService.open(HttpSettings.loopback(0).withLimits(limits), List.of(new Group()));
    FakeGeneration endless = new FakeGeneration();
    OutputPart large = new OutputPart.Text("a".repeat(100_000));
    for (int i = 0; i < 300; i++) { // more than the buffers of a connection take
      endless.parts(large);
    }
    answers = _ -> endless;
    try (LogCapture said = new LogCapture();
        Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4096);
      socket.connect(service.address());
      send(socket, STREAM);
      assertThat(endless.closed.await(20, TimeUnit.SECONDS)).isTrue();
      await().until(() -> service.streams() == 0);
      assertThat(said.lines())
          .singleElement()
          .asString()
          .startsWith(
              "POST /fake/chat of key \"local\": its client read nothing for 0.3 s and was"
                  + " dropped");
    }
  }

  private static void send(Socket socket, String body) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("POST /fake/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body)
                .getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void stoppingServerEndsAStreamWithAnError() throws Exception {
    FakeGeneration endless = new FakeGeneration().text("a");
    answers = _ -> endless;
    HttpResponse<InputStream> response = client.send(post(STREAM), BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      read(lines, "\"content\":\"a\"");
      service.drain(Duration.ofSeconds(20));
      assertThat(read(lines, "\"error\"")).contains("the server is stopping");
    }
    assertThat(endless.closed.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void wholeAnswerHasAllFields() throws Exception {
    answers =
        _ ->
            new FakeGeneration()
                .parts(new OutputPart.Thought("hm"))
                .text("Hi")
                .end(AnswerFinish.STOP);
    HttpResponse<String> response =
        client.send(
            post("{" + MESSAGES + ",\"n\":2,\"logprobs\":true,\"top_logprobs\":1}"),
            BodyHandlers.ofString());
    JsonObject answer = Json.object(response.body());
    assertThat(answer.list("choices")).hasSize(2);
    JsonObject second = JsonObject.of(answer.list("choices").getLast(), "choice");
    assertThat(second.toString())
        .isEqualTo(
            "{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"refusal\":null,"
                + "\"reasoning_content\":\"hm\"},\"logprobs\":{\"content\":[{\"token\":\"Hi\","
                + "\"logprob\":-0.5,\"bytes\":[72,105],\"top_logprobs\":[{\"token\":\"Hi\","
                + "\"logprob\":-0.5,\"bytes\":[72,105]}]}],\"refusal\":null},"
                + "\"finish_reason\":\"stop\"}");
    assertThat(answer.object("usage").integer("prompt_tokens")).isEqualTo(5);
    assertThat(answer.object("usage").integer("completion_tokens")).isEqualTo(4);
  }
}
