package dev.millrace.http.openai;

import static dev.millrace.http.openai.HouseModelServer.choice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.model.ModelStats;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Chat completions of the house model over HTTP. */
class HouseModelChatTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final String STORY =
      "\"messages\":[{\"role\":\"user\",\"content\":\"Write a story about Ingrid and a boat.\"}]";

  private static HouseModelServer server;

  @BeforeAll
  static void open() {
    server = new HouseModelServer();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String content(JsonObject answer, int index) {
    return choice(answer, index).object("message").string("content");
  }

  @Test
  void seedRepeatsAnAnswerAndEachChoiceHasItsOwn() throws Exception {
    String body = "{" + STORY + ",\"max_tokens\":12,\"temperature\":0.9,\"seed\":%d,\"n\":%d}";
    JsonObject two = server.ask(CHAT, body.formatted(7, 2));
    assertThat(two.list("choices")).hasSize(2);
    assertThat(content(server.ask(CHAT, body.formatted(7, 1)), 0)).isEqualTo(content(two, 0));
    assertThat(content(server.ask(CHAT, body.formatted(8, 1)), 0)).isEqualTo(content(two, 1));
    assertThat(content(two, 0)).isNotEqualTo(content(two, 1));
    assertThat(choice(two, 1).string("finish_reason")).isEqualTo("length");
    assertThat(two.string("model")).isEqualTo(HouseModelServer.MODEL);
    assertThat(two.string("service_tier")).isEqualTo("default");
    assertThat(two.object("usage").integer("completion_tokens")).isEqualTo(24);
  }

  @Test
  void streamHasTheSameTextAsTheWholeAnswer() throws Exception {
    String body = "{\"model\":\"default\"," + STORY + ",\"max_tokens\":16,\"temperature\":0%s}";
    JsonObject whole = server.ask(CHAT, body.formatted(",\"service_tier\":\"flex\""));
    assertThat(whole.string("service_tier")).isEqualTo("flex");
    List<String> data =
        server.stream(
            CHAT, body.formatted(",\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
    StringBuilder text = new StringBuilder();
    for (String chunk : data.subList(0, data.size() - 2)) {
      text.append(choice(Json.object(chunk), 0).object("delta").string("content", ""));
    }
    assertThat(text.toString()).isEqualTo(content(whole, 0)).isNotBlank();
    JsonObject usage = Json.object(data.get(data.size() - 2)).object("usage");
    assertThat(usage.integer("total_tokens"))
        .isEqualTo(whole.object("usage").integer("total_tokens"));
    assertThat(data.getLast()).isEqualTo("[DONE]");
    assertThat(data).hasSizeGreaterThan(10); // a delta for each token
  }

  @Test
  void stopTextEndsTheAnswerAndIsNotPartOfIt() throws Exception {
    String body = "{" + STORY + ",\"max_tokens\":24,\"temperature\":0%s}";
    String whole = content(server.ask(CHAT, body.formatted("")), 0);
    String stop = whole.substring(12, 15);
    JsonObject cut = server.ask(CHAT, body.formatted(",\"stop\":[" + Json.write(stop) + "]"));
    assertThat(content(cut, 0)).isEqualTo(whole.substring(0, whole.indexOf(stop)));
    assertThat(choice(cut, 0).string("finish_reason")).isEqualTo("stop");
  }

  @Test
  void forcedToolCallIsValid() throws Exception {
    String tools =
        ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"enum\":[\"Ulm\",\"Graz\"]}},"
            + "\"required\":[\"city\"],\"additionalProperties\":false}}}],"
            + "\"tool_choice\":\"required\",\"parallel_tool_calls\":false,\"temperature\":0}";
    JsonObject answer = server.ask(CHAT, "{" + STORY + tools);
    JsonObject message = choice(answer, 0).object("message");
    assertThat(choice(answer, 0).string("finish_reason")).isEqualTo("tool_calls");
    assertThat(message.get("content")).isNull();
    assertThat(message.list("tool_calls")).hasSize(1);
    JsonObject call = JsonObject.of(message.list("tool_calls").getFirst(), "call");
    assertThat(call.object("function").string("name")).isEqualTo("weather");
    String arguments = call.object("function").string("arguments");
    assertThat(Json.object(arguments).string("city")).isIn("Ulm", "Graz");

    StringBuilder streamed = new StringBuilder();
    for (String chunk : server.stream(CHAT, "{\"stream\":true," + STORY + tools)) {
      if (chunk.contains("tool_calls\":[")) {
        JsonObject delta = choice(Json.object(chunk), 0).object("delta");
        streamed.append(
            JsonObject.of(delta.list("tool_calls").getFirst(), "call")
                .object("function")
                .string("arguments"));
      }
    }
    assertThat(streamed.toString()).isEqualTo(arguments);
  }

  @Test
  void answerFollowsTheSchema() throws Exception {
    String format =
        ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"mood\",\"schema\":"
            + "{\"type\":\"object\",\"properties\":{\"mood\":{\"enum\":[\"happy\",\"sad\"]}},"
            + "\"required\":[\"mood\"],\"additionalProperties\":false}}}}";
    JsonObject answer = server.ask(CHAT, "{\"temperature\":0," + STORY + format);
    assertThat(Json.object(content(answer, 0)).string("mood")).isIn("happy", "sad");
    assertThat(choice(answer, 0).string("finish_reason")).isEqualTo("stop");
  }

  @Test
  void logprobsCoverTheContent() throws Exception {
    JsonObject answer =
        server.ask(
            CHAT,
            "{"
                + STORY
                + ",\"max_tokens\":6,\"temperature\":0,\"logprobs\":true,\"top_logprobs\":3}");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<?> entries = choice(answer, 0).object("logprobs").list("content");
    for (Object each : entries) {
      JsonObject entry = JsonObject.of(each, "entry");
      assertThat(entry.number("logprob", 1)).isLessThanOrEqualTo(0);
      assertThat(entry.list("top_logprobs")).hasSize(3);
      JsonObject best = JsonObject.of(entry.list("top_logprobs").getFirst(), "best");
      assertThat(best.string("token")).isEqualTo(entry.string("token")); // temperature 0
      entry.list("bytes").forEach(each2 -> bytes.write(((Number) each2).intValue()));
    }
    assertThat(entries).hasSize(6);
    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo(content(answer, 0));
  }

  /** The model has no token for these characters: each is several tokens of bytes. */
  @Test
  void charactersAreNeverSplit() throws Exception {
    List<String> data =
        server.stream(
            CHAT,
            "{"
                + STORY
                + ",\"grammar\":\"root ::="
                + " \\\"\uD83D\uDE00é漢\\\"\",\"stream\":true,\"temperature\":0}");
    StringBuilder text = new StringBuilder();
    for (String chunk : data.subList(1, data.size() - 1)) {
      String delta = choice(Json.object(chunk), 0).object("delta").string("content", "");
      assertThat(delta.codePoints()).noneMatch(c -> c == 0xFFFD || c >= 0xD800 && c < 0xE000);
      text.append(delta);
    }
    assertThat(text.toString()).isEqualTo("\uD83D\uDE00é漢");
  }

  @Test
  void clientThatLeavesCancelsTheGeneration() throws Exception {
    long before = server.inference.stats().tokens().generated();
    HttpResponse<InputStream> response =
        server.open(CHAT, "{" + STORY + ",\"max_tokens\":900,\"ignore_eos\":true,\"stream\":true}");
    response.body().readNBytes(600);
    response.body().close();
    await().until(() -> server.service.running() == 0);
    await()
        .until(() -> server.inference.stats().models().stream().allMatch(HouseModelChatTest::idle));
    assertThat(server.inference.stats().tokens().generated() - before).isLessThan(800);
  }

  private static boolean idle(ModelStats model) {
    return model.running() == 0;
  }

  @Test
  void promptThatDoesNotFitIsRefusedWithBothNumbers() throws Exception {
    String body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"" + "boat ".repeat(1500) + "\"}]}";
    JsonObject error = server.refuse(400, CHAT, body);
    assertThat(error.string("code")).isEqualTo("context_length_exceeded");
    assertThat(error.string("param")).isEqualTo("messages");
    assertThat(error.string("message"))
        .contains("maximum context length", "1024")
        .matches("(?s).*1[5-9]\\d\\d.*");
  }

  @Test
  void schemaIsRefusedByTheClientsName() throws Exception {
    String bogus = "{\"type\":\"bogus\"}";
    String format =
        ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"a\",";
    assertThat(
            server
                .refuse(400, CHAT, "{" + STORY + format + "\"schema\":" + bogus + "}}}")
                .string("param"))
        .isEqualTo("response_format.json_schema.schema");
    assertThat(
            server
                .refuse(400, CHAT, "{" + STORY + ",\"json_schema\":" + bogus + "}")
                .string("param"))
        .isEqualTo("json_schema");
    String tool =
        "{\"type\":\"function\",\"function\":{\"name\":\"%s\",\"strict\":true,\"parameters\":%s}}";
    String tools =
        ",\"tool_choice\":\"required\",\"stream\":true,\"tools\":["
            + tool.formatted("a", "{\"type\":\"object\"}")
            + ","
            + tool.formatted("b", "{\"type\":\"object\",\"not\":{}}")
            + "]}";
    JsonObject error = server.refuse(400, CHAT, "{" + STORY + tools);
    assertThat(error.string("param")).isEqualTo("tools[1].function.parameters");
    assertThat(error.string("message")).startsWith("tools[1].function.parameters ");
  }

  @Test
  void unknownModelIsNotFound() throws Exception {
    JsonObject error = server.refuse(404, CHAT, "{\"model\":\"gpt-9\"," + STORY + "}");
    assertThat(error.string("code")).isEqualTo("model_not_found");
    assertThat(error.string("param")).isEqualTo("model");
    assertThat(error.string("message")).contains("gpt-9", HouseModelServer.MODEL);
  }

  @Test
  void lastMessageIsContinued() throws Exception {
    String body =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Is this story happy or sad?\"},"
            + "{\"role\":\"assistant\",\"content\":\"One day, a dog\"}],"
            + "\"continue_final_message\":true,\"add_generation_prompt\":false,\"max_tokens\":4}";
    assertThat(server.ask("/apply-template", body).string("prompt")).endsWith("One day, a dog");
    assertThat(server.ask(CHAT, body).object("usage").integer("completion_tokens")).isEqualTo(4);
  }

  /** The template of the house model knows neither calls nor results. */
  @Test
  void earlierCallsAndTheirResultsAreInThePrompt() throws Exception {
    String call =
        "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":"
            + "\"{\\\"city\\\":\\\"Ulm\\\"}\"}}";
    String messages =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Is it warm?\"},"
            + "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
            + call
            + "]},{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"hot\"}]}";
    assertThat(server.ask("/apply-template", messages).string("prompt"))
        .contains("<|assistant|>{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}<|end|>")
        .contains("<|user|>Result of weather:\nhot<|end|>");
  }

  @Test
  void reasoningEffortIsRefusedWithoutASwitch() throws Exception {
    JsonObject error = server.refuse(400, CHAT, "{" + STORY + ",\"reasoning_effort\":\"high\"}");
    assertThat(error.string("param")).isEqualTo("reasoning_effort");
    assertThat(Set.of("invalid_value", "unsupported_parameter")).contains(error.string("code"));
  }
}
