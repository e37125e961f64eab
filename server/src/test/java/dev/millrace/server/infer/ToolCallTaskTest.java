package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.AnswerFinish;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.run.StoredOutputFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of tools, forced from a model that knows nothing. */
@Timeout(120)
class ToolCallTaskTest {
  private static final String TOOLS =
      """
      "tools": [
        {"type": "function", "function": {"name": "weather", "parameters": {"type": "object",
         "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
         "additionalProperties": false}}},
        {"type": "function", "function": {"name": "now"}}],
      "parallel_tool_calls": false, "temperature": 0, "max_tokens": 150, "record_pieces": true\
      """;
  private static final String NAMED =
      "\"tool_choice\": {\"type\": \"function\", \"function\": {\"name\": \"weather\"}}";

  private static Inference inference;

  @BeforeAll
  static void open() {
    inference =
        Inference.open(
            TinyModels.serving(TinyModels.llama())
                .withChatTemplate("{% if tools %}T{% endif %}{{ messages[0].content }}"));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static FakeTaskContext task(String more) {
    return FakeTaskContext.generate("what is it like", "{" + more + "," + TOOLS + "}");
  }

  private static Map<?, ?> onlyCall(JsonObject receipt) {
    assertThat(receipt.string("finish_reason")).isEqualTo("tool_calls");
    assertThat(receipt.list("tool_calls")).hasSize(1);
    return (Map<?, ?>) receipt.list("tool_calls").getFirst();
  }

  private static JsonObject arguments(Map<?, ?> call) {
    return Json.object(String.valueOf(call.get("arguments")));
  }

  @Test
  void aNamedToolIsCalledWithValidArguments() throws Exception {
    TaskResult result = TaskRunFixture.result(inference, task(NAMED));
    Map<?, ?> call = onlyCall(TaskRunFixture.receipt(result));
    assertThat(call.get("name")).isEqualTo("weather");
    assertThat(arguments(call).string("city")).isIn("Rome", "Oslo");
    assertThat(result.text()).isEmpty();
  }

  @Test
  void aRequiredCallIsOneOfTheTools() throws Exception {
    TaskResult result = TaskRunFixture.result(inference, task("\"tool_choice\": \"required\""));
    Map<?, ?> call = onlyCall(TaskRunFixture.receipt(result));
    assertThat(call.get("name")).isIn("weather", "now");
    assertThat(arguments(call)).isNotNull();
  }

  /** Each of these is in every call; none is in a text. */
  @Test
  void stopTextsDoNotCutACall() throws Exception {
    JsonObject whole = TaskRunFixture.receipt(TaskRunFixture.result(inference, task(NAMED)));
    FakeTaskContext task = task(NAMED + ", \"stop\": [\"{\", \"city\", \"}\"]");
    JsonObject receipt = TaskRunFixture.receipt(TaskRunFixture.result(inference, task));
    assertThat(receipt.get("stop")).isNull();
    assertThat(onlyCall(receipt)).isEqualTo(onlyCall(whole));
  }

  /** Whole: the call is left out. Streamed: it has no end. */
  @Test
  void aCallThatIsCutIsNotComplete() throws Exception {
    FakeTaskContext whole = task(NAMED);
    String arguments =
        String.valueOf(
            onlyCall(TaskRunFixture.receipt(TaskRunFixture.result(inference, whole)))
                .get("arguments"));
    boolean streamed = false;
    for (int most = 1; most < whole.tokens().size(); most += 3) {
      String tools = TOOLS.replace("\"max_tokens\": 150", "\"max_tokens\": " + most);
      FakeTaskContext cut =
          FakeTaskContext.generate("what is it like", "{" + NAMED + "," + tools + "}");
      JsonObject receipt = TaskRunFixture.receipt(TaskRunFixture.result(inference, cut));
      assertThat(receipt.string("finish_reason")).isEqualTo("length");
      assertThat(receipt.get("tool_calls")).as("after %d tokens", most).isNull();
      List<OutputPart> parts = new ArrayList<>();
      AnswerEnd end = stream(NAMED + "," + tools, parts);
      assertThat(end.finish()).isEqualTo(AnswerFinish.LENGTH);
      assertThat(parts).noneMatch(OutputPart.CallEnded.class::isInstance);
      if (parts.contains(new OutputPart.CallBegan(0, "weather"))) {
        streamed = true;
        assertThat(arguments).startsWith(joinedArguments(parts));
      }
    }
    assertThat(streamed).isTrue();
  }

  @Test
  void aResumedCallIsTheSame() throws Exception {
    FakeTaskContext whole = task(NAMED);
    JsonObject receipt = TaskRunFixture.receipt(TaskRunFixture.result(inference, whole));
    for (int k = 0; k <= whole.tokens().size(); k += 4) {
      JsonObject again = TaskRunFixture.receipt(TaskRunFixture.result(inference, whole.again(k)));
      assertThat(again.list("tool_calls")).isEqualTo(receipt.list("tool_calls"));
      assertThat(again.list("pieces")).as("after %d tokens", k).isEqualTo(receipt.list("pieces"));
    }
  }

  @Test
  void storedPiecesAreReadWithoutTheModel() throws Exception {
    FakeTaskContext task = task(NAMED);
    JsonObject receipt = TaskRunFixture.receipt(TaskRunFixture.result(inference, task));
    assertThat(receipt.list("pieces")).hasSize((int) receipt.integer("completion_tokens"));
    JsonObject data = Json.object(task.data().toString()).put("prompt", "x");
    var parser = StoredOutputFormat.parser(Json.object(receipt.toString()), data);
    List<OutputPart> parts = new ArrayList<>();
    receipt.list("pieces").forEach(piece -> parts.addAll(parser.feed(String.valueOf(piece))));
    parts.addAll(parser.feed(receipt.string("rest", "")));
    parts.addAll(parser.end(false));
    assertThat(joinedArguments(parts)).isEqualTo(onlyCall(receipt).get("arguments"));
  }

  private static String joinedArguments(List<OutputPart> parts) {
    StringBuilder all = new StringBuilder();
    for (OutputPart part : parts) {
      assertThat(part).isNotInstanceOf(OutputPart.Text.class);
      if (part instanceof OutputPart.CallArguments(int _, String json)) {
        all.append(json);
      }
    }
    return all.toString();
  }

  @Test
  void aCallIsStreamed() throws Exception {
    JsonObject receipt = TaskRunFixture.receipt(TaskRunFixture.result(inference, task(NAMED)));
    List<OutputPart> parts = new ArrayList<>();
    AnswerEnd end = stream(NAMED + "," + TOOLS, parts);
    assertThat(end.finish()).isEqualTo(AnswerFinish.TOOL_CALLS);
    assertThat(parts.getFirst()).isEqualTo(new OutputPart.CallBegan(0, "weather"));
    assertThat(parts.getLast()).isEqualTo(new OutputPart.CallEnded(0));
    assertThat(joinedArguments(parts)).isEqualTo(onlyCall(receipt).get("arguments"));
  }

  private static AnswerEnd stream(String parameters, List<OutputPart> parts) throws Exception {
    JsonObject data = Json.object("{\"prompt\": \"what is it like\"," + parameters + "}");
    DirectRequest request = new DirectRequest(data, 0, FakeTaskContext.CREATED, true);
    AnswerEnd end = null;
    try (DirectGeneration generation = inference.direct().generate(request)) {
      while (end == null) {
        switch (generation.next(Duration.ofSeconds(60)).orElseThrow()) {
          case AnswerEvent.TokenChosen token -> parts.addAll(token.parts());
          case AnswerEvent.Ended(AnswerEnd last) -> end = last;
          case AnswerEvent.PromptProgress _ -> {}
        }
      }
    }
    parts.addAll(end.rest());
    return end;
  }

  @Test
  void withAFormatTheOutputIsACallOrHasTheFormat() throws Exception {
    TaskResult result =
        TaskRunFixture.result(inference, task("\"json_schema\": {\"type\": \"boolean\"}"));
    JsonObject receipt = TaskRunFixture.receipt(result);
    if (receipt.list("tool_calls").isEmpty()) {
      assertThat(result.text()).isIn("true", "false");
    } else {
      assertThat(arguments(onlyCall(receipt))).isNotNull();
    }
  }

  @Test
  void withoutAChoiceTheToolsAreShownAndWithNoneTheyAreNot() throws Exception {
    String none = "\"tool_choice\": \"none\"";
    long shown = promptTokens(task("\"ignore_eos\": false"));
    long hidden = promptTokens(task(none));
    assertThat(shown).isGreaterThan(hidden);
    FakeTaskContext plain = FakeTaskContext.generate("what is it like", "{\"max_tokens\": 1}");
    assertThat(hidden).isEqualTo(promptTokens(plain));
  }

  private static long promptTokens(FakeTaskContext task) throws Exception {
    return TaskRunFixture.receipt(TaskRunFixture.result(inference, task)).integer("prompt_tokens");
  }
}
