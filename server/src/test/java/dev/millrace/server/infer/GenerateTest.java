package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.parameters.SamplingParameters;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One task to generate, from its parameters to its result, also resumed after any number of tokens.
 */
@Timeout(120)
class GenerateTest {
  private static final String PLAIN =
      "{\"max_tokens\": 60, \"seed\": 7, \"temperature\": 1.2, \"ignore_eos\": true, \"raw\":"
          + " true}";

  private static Inference inference;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama(), TinyModels.encoder()));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static FakeTaskContext plain() {
    return FakeTaskContext.generate("once upon a time", PLAIN);
  }

  @Test
  void theTextEqualsThatOfTheEngine() throws Exception {
    FakeTaskContext task = plain();
    TaskResult result = TaskRunFixture.result(inference, task);
    Sampling sampling =
        Sampling.builder()
            .temperature(1.2)
            .topK(40)
            .topP(0.9)
            .minP(0.05)
            .repetitionPenalty(1.1)
            .penaltyWindow(64)
            .seed(7)
            .build();
    GenerationResult own;
    try (Engine engine = Engine.open(TinyModels.llama().file(), TinyModels.engine())) {
      int[] prompt = engine.prompts().raw("once upon a time");
      GenerationRequest request = GenerationRequest.of(prompt, sampling, 60).ignoringEnd();
      own = engine.submit(request, (id, text, logprobs) -> {}).await();
    }
    assertThat(result.text()).isEqualTo(own.text()).isNotEmpty();
    assertThat(task.tokens()).hasSize(60).containsExactly(boxed(own.tokens()));
  }

  @Test
  void aPartOfTheModelsNameIsEnoughAndTheReceiptHasTheWhole() throws Exception {
    String data = "{\"model\": \"TIN\"," + PLAIN.strip().substring(1);
    FakeTaskContext task = FakeTaskContext.generate("once upon a time", data);
    TaskResult result = TaskRunFixture.result(inference, task);
    assertThat(TaskRunFixture.receipt(result).string("model")).isEqualTo("tiny");
    assertThat(task.frozen.string("model")).isEqualTo("tiny");
  }

  private static Integer[] boxed(int[] ids) {
    return Arrays.stream(ids).boxed().toArray(Integer[]::new);
  }

  @Test
  void anAttemptResumedAfterAnyNumberOfTokensGivesTheSameText() throws Exception {
    FakeTaskContext whole = plain();
    String text = TaskRunFixture.result(inference, whole).text();
    String journaled = whole.journaled();
    for (int k = 0; k <= whole.tokens().size(); k++) {
      FakeTaskContext again = whole.again(k);
      TaskResult result = TaskRunFixture.result(inference, again);
      assertThat(result.text()).as("after %d tokens", k).isEqualTo(text);
      assertThat(again.tokens())
          .as("journaled after %d tokens", k)
          .isEqualTo(whole.tokens().subList(k, 60));
      assertThat(journaled)
          .as("journaled by the attempt after %d tokens", k)
          .endsWith(again.journaled());
      assertThat(TaskRunFixture.receipt(result).integer("resumed", 0)).isEqualTo(k);
      assertThat(again.lines).isEmpty();
    }
  }

  @Test
  void aTaskThatFilledTheContextCanBeResumed() throws Exception {
    FakeTaskContext whole =
        FakeTaskContext.generate(
            "a", PLAIN.replace("60", "100000")); // clipped to what there is room for
    TaskResult result = TaskRunFixture.result(inference, whole);
    JsonObject receipt = TaskRunFixture.receipt(result);
    assertThat(receipt.string("finish_reason")).isEqualTo("length");
    assertThat(receipt.integer("prompt_tokens") + receipt.integer("completion_tokens"))
        .isEqualTo(TinyModels.CONTEXT);
    assertThat(receipt.object("parameters").integer("max_tokens"))
        .isEqualTo(receipt.integer("completion_tokens"));
    FakeTaskContext again = whole.again(whole.tokens().size());
    assertThat(TaskRunFixture.result(inference, again).text()).isEqualTo(result.text());
    assertThat(again.tokens()).as("the journal has them all").isEmpty();
  }

  @Test
  void pauseReleasesTheTaskAndTheNextAttemptResumes() throws Exception {
    FakeTaskContext whole = FakeTaskContext.generate("once", PLAIN.replace("60", "200"));
    String text = TaskRunFixture.result(inference, whole).text();
    List<Integer> tokens = new ArrayList<>();
    int releases = 0;
    while (true) {
      FakeTaskContext task =
          new FakeTaskContext("generate", "once", whole.claim().data(), whole.frozen, tokens);
      task.onJournal = FakeTaskContext::pause;
      TaskOutcome outcome = runSlowly(task);
      tokens.addAll(task.tokens());
      if (outcome instanceof TaskOutcome.Done(TaskResult result)) {
        assertThat(result.text()).isEqualTo(text);
        assertThat(releases).as("releases").isPositive();
        return;
      }
      assertThat(outcome).isEqualTo(new TaskOutcome.Released("paused"));
      assertThat(task.tokens()).isNotEmpty();
      releases++;
    }
  }

  private static TaskOutcome runSlowly(FakeTaskContext task) throws Exception {
    try (SlowWheel _ = new SlowWheel(inference)) {
      return TaskRunFixture.run(inference, task);
    }
  }

  @Test
  void cancelKeepsThePartialOutput() throws Exception {
    FakeTaskContext task = FakeTaskContext.generate("once", PLAIN.replace("60", "250"));
    task.onJournal = FakeTaskContext::cancel;
    Failure failure = ((TaskOutcome.Failed) runSlowly(task)).failure();
    JsonObject receipt = failure.receipt();
    assertThat(receipt).isNotNull();
    assertThat(receipt.string("finish_reason")).isEqualTo("cancelled");
    assertThat(receipt.integer("completion_tokens")).isEqualTo(task.tokens().size());
    assertThat(failure.partial()).startsWith(task.journaled());
  }

  @Test
  void aDeadlineIsNamedInTheReceipt() throws Exception {
    FakeTaskContext task = FakeTaskContext.generate("once", PLAIN.replace("60", "250"));
    task.overdue = true;
    task.onJournal = FakeTaskContext::cancel;
    assertThat(((TaskOutcome.Failed) runSlowly(task)).failure().receipt())
        .satisfies(receipt -> assertThat(receipt.string("finish_reason")).isEqualTo("deadline"));
  }

  @Test
  void aTaskIsStoppedBeforeItHasAModel() throws Exception {
    FakeTaskContext cancelled = plain();
    cancelled.cancel();
    assertThat(TaskRunFixture.run(inference, cancelled)).isInstanceOf(TaskOutcome.Failed.class);
    FakeTaskContext paused = plain();
    paused.pause();
    assertThat(TaskRunFixture.run(inference, paused)).isEqualTo(new TaskOutcome.Released("paused"));
  }

  @Test
  void frozenTermsHoldAfterTheDefaultsChange() throws Exception {
    FakeTaskContext first =
        FakeTaskContext.generate("once", "{\"max_tokens\": 40, \"ignore_eos\": true}");
    String text = TaskRunFixture.result(inference, first).text();
    InferenceSettings changed =
        TinyModels.serving(TinyModels.llama())
            .withSampling(SamplingParameters.builder().temperature(3.0).topK(3).seed(99L).build());
    try (Inference later = Inference.open(changed)) {
      assertThat(TaskRunFixture.result(later, first.again(10)).text()).isEqualTo(text);
      FakeTaskContext fresh =
          FakeTaskContext.generate("once", "{\"max_tokens\": 40, \"ignore_eos\": true}");
      TaskResult other = TaskRunFixture.result(later, fresh);
      assertThat(other.text()).isNotEqualTo(text);
      assertThat(TaskRunFixture.receipt(other).integer("seed")).isEqualTo(99);
    }
  }

  @Test
  void anAttemptResumesWithItsModelAfterTheDefaultChanges() throws Exception {
    FakeTaskContext first = plain();
    String text = TaskRunFixture.result(inference, first).text();
    try (Inference later =
        Inference.open(TinyModels.serving(TinyModels.other(), TinyModels.llama()))) {
      FakeTaskContext again = first.again(10);
      TaskResult result = TaskRunFixture.result(later, again);
      assertThat(again.lines).as("nothing was discarded").isEmpty();
      assertThat(result.text()).isEqualTo(text);
      assertThat(TaskRunFixture.receipt(result).string("model")).isEqualTo("tiny");
    }
    try (Inference without = Inference.open(TinyModels.serving(TinyModels.other()))) {
      TaskResult result = TaskRunFixture.result(without, first.again(10));
      assertThat(TaskRunFixture.receipt(result).string("model")).isEqualTo("other");
    }
  }

  @Test
  void aTemplateWithOtherMarksOfThoughtsRestartsTheTask() throws Exception {
    String template = "{%% if false %%}%s{%% endif %%}{{ messages[0].content }}";
    FakeTaskContext first =
        FakeTaskContext.generate("once", "{\"max_tokens\": 20, \"ignore_eos\": true}");
    try (Inference before = templated(template.formatted("<think>"))) {
      TaskRunFixture.result(before, first);
    }
    try (Inference later = templated(template.formatted("[THINK]"))) {
      FakeTaskContext again = first.again(10);
      TaskRunFixture.result(later, again);
      assertThat(again.lines)
          .singleElement()
          .satisfies(
              line -> assertThat(line).startsWith("the template changed its marks of thoughts ("));
    }
  }

  private static Inference templated(String template) {
    return Inference.open(TinyModels.serving(TinyModels.llama()).withChatTemplate(template));
  }

  @Test
  void aGenerationWhoseOutputCannotBeJournaledIsCancelled() throws Exception {
    FakeTaskContext task = FakeTaskContext.generate("once", PLAIN.replace("60", "250"));
    task.onJournal =
        _ -> {
          throw new IllegalStateException("the job's files are gone");
        };
    Engine engine = inference.library().loadedModels().getFirst().engine();
    try (SlowWheel _ = new SlowWheel(inference)) {
      long ended = engine.stats().ended();
      assertThatThrownBy(() -> TaskRunFixture.run(inference, task))
          .hasMessageContaining("are gone");
      assertThat(engine.stats().ended()).isEqualTo(ended + 1);
    }
  }

  @Test
  void tasksRunOnPlatformThreads() {
    assertThat(inference.workers())
        .allMatch(worker -> worker.threading() == Worker.Threading.PLATFORM);
  }

  @Test
  void withoutASeedATaskGetsItsOwnInEveryAttempt() throws Exception {
    String data = "{\"max_tokens\": 20, \"ignore_eos\": true}";
    TaskResult first = TaskRunFixture.result(inference, FakeTaskContext.generate("once", data));
    TaskResult second = TaskRunFixture.result(inference, FakeTaskContext.generate("once", data));
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(TaskRunFixture.receipt(first).integer("seed"))
        .isEqualTo(Sha256.number53("00001781482179019396_4090_000000/1/1"))
        .isNotNegative();
  }

  @Test
  void aChangedModelFileRestartsTheTask() throws Exception {
    FakeTaskContext first = plain();
    TaskRunFixture.result(inference, first);
    NamedModel otherFile = new NamedModel("tiny", TinyModels.other().file());
    try (Inference later = Inference.open(TinyModels.serving(otherFile))) {
      FakeTaskContext again = first.again(57);
      TaskResult result = TaskRunFixture.result(later, again);
      assertThat(again.lines)
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .startsWith("the model file changed (")
                      .endsWith("57 tokens discarded; restarting"));
      assertThat(again.tokens()).hasSize(60);
      assertThat(TaskRunFixture.receipt(result).has("resumed")).isFalse();
      assertThat(result.text())
          .isEqualTo(
              TaskRunFixture.result(later, FakeTaskContext.generate("once upon a time", PLAIN))
                  .text());
    }
  }

  @Test
  void journaledTokensThatTheEngineRefusesAreDiscarded() throws Exception {
    FakeTaskContext first = FakeTaskContext.generate("x", "{\"grammar\": \"root ::= [ab]{30}\"}");
    String text = TaskRunFixture.result(inference, first).text();
    FakeTaskContext spoiled =
        new FakeTaskContext("generate", "x", first.claim().data(), first.frozen, List.of(5, 6, 7));
    assertThat(TaskRunFixture.result(inference, spoiled).text()).isEqualTo(text);
    assertThat(spoiled.lines)
        .singleElement()
        .satisfies(line -> assertThat(line).contains("3 tokens").contains("restarting"));
  }

  @Test
  void theReceiptNamesModelParametersAndTimings() throws Exception {
    TaskResult result =
        TaskRunFixture.result(
            inference,
            FakeTaskContext.generate(
                "once", PLAIN.replace("}", ", \"presence_penalty\": 0.5, \"stop\": [\"~~~\"]}")));
    JsonObject receipt = TaskRunFixture.receipt(result);
    assertThat(receipt.string("model")).isEqualTo("tiny");
    assertThat(receipt.string("model_sha256")).isEqualTo(sha256(TinyModels.llama().file()));
    assertThat(receipt.integer("numerics")).isEqualTo(1);
    assertThat(receipt.integer("prompt_tokens")).isPositive();
    assertThat(receipt.integer("cached_tokens")).isNotNegative();
    assertThat(receipt.integer("completion_tokens")).isEqualTo(60);
    assertThat(receipt.string("finish_reason")).isEqualTo("length");
    assertThat(receipt.integer("seed")).isEqualTo(7);
    assertThat(receipt.object("timings").values())
        .containsOnlyKeys("wait_ms", "prefill_ms", "decode_ms", "tokens_per_second");
    assertThat(receipt.object("parameters").toString())
        .isEqualTo(
            "{\"max_tokens\":60,\"temperature\":1.2,\"top_k\":40,\"top_p\":0.9,\"min_p\":0.05,"
                + "\"repeat_penalty\":1.1,\"repeat_last_n\":64,\"seed\":7,\"thinking\":true,"
                + "\"presence_penalty\":0.5,\"stop\":[\"~~~\"],\"ignore_eos\":true,\"stop_start\":\"after_thoughts\"}");
    assertThat(Json.object(receipt.toString()).values()).isNotEmpty();
  }

  private static String sha256(Path file) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256");
    return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
  }

  @Test
  void aStopTextEndsItAndIsNamed() throws Exception {
    String text = TaskRunFixture.result(inference, plain()).text();
    String stop = text.substring(8, 10);
    TaskResult stopped =
        TaskRunFixture.result(
            inference,
            FakeTaskContext.generate(
                "once upon a time", PLAIN.replace("}", ", \"stop\": " + Json.write(stop) + "}")));
    assertThat(text).startsWith(stopped.text());
    assertThat(stopped.text()).doesNotContain(stop);
    assertThat(TaskRunFixture.receipt(stopped).string("stop")).isEqualTo(stop);
    assertThat(TaskRunFixture.receipt(stopped).string("finish_reason")).isEqualTo("stop");
  }

  @Test
  void aSchemaMakesJson() throws Exception {
    Map<String, Object> schema =
        Map.of(
            "type",
            "object",
            "properties",
            Map.of("happy", Map.of("type", "boolean"), "age", Map.of("enum", List.of(1L, 2L))),
            "required",
            List.of("happy", "age"),
            "additionalProperties",
            false);
    for (Object form : List.of(schema, Json.write(schema))) {
      FakeTaskContext task =
          new FakeTaskContext(
              "generate",
              "x",
              JsonObject.create().put("json_schema", form).put("max_tokens", 200L));
      TaskResult result = TaskRunFixture.result(inference, task);
      assertThat(Json.object(result.text()).values()).containsOnlyKeys("happy", "age");
      assertThat(
              TaskRunFixture.receipt(result)
                  .object("parameters")
                  .object("constraint")
                  .string("kind"))
          .isEqualTo("json_schema");
    }
    Object format =
        Map.of("type", "json_schema", "json_schema", Map.of("name", "x", "schema", schema));
    FakeTaskContext openAi =
        new FakeTaskContext("generate", "x", JsonObject.create().put("response_format", format));
    assertThat(Json.object(TaskRunFixture.result(inference, openAi).text()).values())
        .containsOnlyKeys("happy", "age");
  }

  @Test
  void truncatedJsonIsAFailureWithItsText() throws Exception {
    FakeTaskContext task =
        FakeTaskContext.generate(
            "x", "{\"json_schema\": {\"type\": \"string\", \"minLength\": 50}, \"max_tokens\": 5}");
    Failure failure = TaskRunFixture.failure(inference, task);
    assertThat(failure.message()).startsWith("Structured job produced invalid JSON: ");
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.partial()).startsWith("\"");
    assertThat(failure.receipt())
        .satisfies(receipt -> assertThat(receipt.string("finish_reason")).isEqualTo("length"));
  }

  @Test
  void ofSchemaAndGrammarTheSchemaDecides() throws Exception {
    JsonObject data =
        JsonObject.create()
            .put("json_schema", "{\"enum\": [17]}")
            .put("grammar", "root ::= [1-9] [0-9] [0-9]");
    assertThat(TaskRunFixture.result(inference, new FakeTaskContext("generate", "x", data)).text())
        .isEqualTo("17");
    for (String schema : List.of("{\"typo\":", "[1]", "{\"type\": \"integer\", \"not\": {}}")) {
      data.put("json_schema", schema);
      assertThat(
              TaskRunFixture.failure(inference, new FakeTaskContext("generate", "x", data))
                  .message())
          .as(schema)
          .startsWith("json_schema: ");
    }
  }

  @Test
  void aTruncatedGrammarOutputIsDone() throws Exception {
    TaskResult result =
        TaskRunFixture.result(
            inference,
            FakeTaskContext.generate(
                "x", "{\"grammar\": \"root ::= \\\"a\\\"+\", \"max_tokens\": 5}"));
    assertThat(result.text()).matches("a+");
    assertThat(TaskRunFixture.receipt(result).string("finish_reason")).isIn("length", "stop");
  }

  @Test
  void messagesAreRenderedByTheTemplate() throws Exception {
    InferenceSettings settings =
        TinyModels.serving(TinyModels.llama())
            .withChatTemplate(
                "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ '<think>' if"
                    + " enable_thinking else '' }}");
    try (Inference templated = Inference.open(settings)) {
      String rest = ", \"max_tokens\": 30, \"seed\": 1, \"ignore_eos\": true}";
      FakeTaskContext chat =
          new FakeTaskContext(
              "generate",
              Json.object(
                      "{\"messages\": [{\"role\": \"system\", \"content\": \"s\"},"
                          + " {\"role\": \"user\", \"content\": \"u\"}]}")
                  .values(),
              Json.object("{\"thinking\": false" + rest));
      FakeTaskContext said =
          FakeTaskContext.generate("u", "{\"system\": \"s\", \"thinking\": false" + rest);
      FakeTaskContext raw = FakeTaskContext.generate("[system]s[user]u", "{\"raw\": true" + rest);
      String text = TaskRunFixture.result(templated, chat).text();
      assertThat(TaskRunFixture.result(templated, said).text()).isEqualTo(text);
      assertThat(TaskRunFixture.result(templated, raw).text()).isEqualTo(text);

      FakeTaskContext thinking = FakeTaskContext.generate("u", "{\"system\": \"s\"" + rest);
      TaskResult thought = TaskRunFixture.result(templated, thinking);
      assertThat(thought.text()).as("it never closed its thoughts").isEmpty();
      assertThat(TaskRunFixture.receipt(thought).string("thoughts")).isNotEmpty();
      assertThat(thinking.journaled()).isNotEmpty();
    }
  }
}
