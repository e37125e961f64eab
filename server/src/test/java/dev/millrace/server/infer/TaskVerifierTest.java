package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.parameters.SamplingParameters;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A repeated task gives the same bytes, or a message says what differs or why it cannot be
 * repeated.
 */
@Timeout(60)
class TaskVerifierTest {
  private static final String DATA = "{\"max_tokens\": 40, \"ignore_eos\": true}";

  private static Inference inference;
  private static FakeTaskContext task;
  private static TaskResult result;

  @BeforeAll
  static void open() throws Exception {
    inference = Inference.open(TinyModels.serving(TinyModels.llama()));
    task = FakeTaskContext.generate("once upon", DATA);
    result = TaskRunFixture.result(inference, task);
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static VerifyRequest request(TaskResult claimed) {
    return new VerifyRequest(
        "generate",
        "once upon",
        Json.object(DATA),
        FakeTaskContext.CREATED,
        Json.object(Objects.requireNonNull(task.frozen).toString()),
        claimed);
  }

  @Test
  void anUnchangedResultIsTheSame() {
    VerifyResult verified = inference.verify(request(result));
    assertThat(verified.same()).isTrue();
    assertThat(verified.message()).isEqualTo("the same " + result.text().length() + " characters");
  }

  @Test
  void changedDefaultsMakeNoDifference() {
    InferenceSettings changed =
        TinyModels.serving(TinyModels.llama())
            .withSampling(SamplingParameters.builder().temperature(0.0).build());
    try (Inference later = Inference.open(changed)) {
      assertThat(later.verify(request(result)).same()).isTrue();
    }
  }

  @Test
  void aChangedResultIsReportedWithItsPosition() {
    String text = result.text();
    String forged = text.substring(0, 12) + "\u2603" + text.substring(13);
    VerifyResult verified = inference.verify(request(TaskResult.of(forged)));
    assertThat(verified.same()).isFalse();
    assertThat(verified.message())
        .startsWith("differs from character 13 on: the result has \"\u2603");
    VerifyResult longer = inference.verify(request(TaskResult.of(text + "x")));
    assertThat(longer.message())
        .contains(
            "from character " + (text.length() + 1) + " on",
            "the result has \"x\"",
            "the repetition \"\"");
  }

  @Test
  void anotherModelFileOrCacheTypeCannotRepeatATask() {
    NamedModel file = new NamedModel("tiny", TinyModels.other().file());
    try (Inference other = Inference.open(TinyModels.serving(file))) {
      VerifyResult verified = other.verify(request(result));
      assertThat(verified.same()).isFalse();
      assertThat(verified.message())
          .startsWith("cannot be repeated here: the model file changed (");
    }
    InferenceSettings precise =
        TinyModels.serving(TinyModels.llama())
            .withEngine(TinyModels.engine().withKvType(KvType.F32));
    try (Inference other = Inference.open(precise)) {
      assertThat(other.verify(request(result)).message())
          .isEqualTo(
              "cannot be repeated here: the type of the KV cache changed (F16 then, F32 now)");
    }
    try (Inference other = Inference.open(TinyModels.serving(TinyModels.other()))) {
      assertThat(other.verify(request(result)).message())
          .isEqualTo("cannot be repeated here: model \"tiny\" is not served here; served: other");
    }
  }

  /** A result from before there was a rule for special tokens: its terms name none. */
  @Test
  void anOldResultIsRepeatedByTheOldRuleForSpecialTokens() throws Exception {
    FakeTaskContext old = FakeTaskContext.generate("once</s>upon", DATA);
    InferenceSettings byText =
        TinyModels.serving(TinyModels.llama()).withSpecialTokens(SpecialTokenRule.TEXT);
    TaskResult before;
    try (Inference earlier = Inference.open(byText)) {
      before = TaskRunFixture.result(earlier, old);
    }
    assertThat(Objects.requireNonNull(before.receipt()).string("special_tokens")).isEqualTo("text");
    JsonObject terms = Json.object(Objects.requireNonNull(old.frozen).toString());
    terms.values().remove("special_tokens");
    VerifyRequest request =
        new VerifyRequest(
            "generate", "once</s>upon", Json.object(DATA), FakeTaskContext.CREATED, terms, before);
    assertThat(inference.verify(request).message())
        .isEqualTo("the same " + before.text().length() + " characters");
    terms.put("special_tokens", "template");
    assertThat(inference.verify(request).message())
        .startsWith("cannot be repeated here: the prompt tokens changed (");
  }

  @Test
  void theReceiptNamesTheRuleForSpecialTokens() {
    assertThat(Objects.requireNonNull(result.receipt()).string("special_tokens"))
        .isEqualTo("template");
  }

  @Test
  void anotherVersionOfTheArithmeticCannotRepeatATask() {
    VerifyRequest now = request(result);
    now.terms().put("numerics", 0L);
    assertThat(inference.verify(now).message())
        .contains("the version of the arithmetic changed (0 then, 1 now)");
  }

  @Test
  void anEmbeddingIsRepeatedFromItsReceipt() throws Exception {
    TaskResult vector =
        TaskRunFixture.result(inference, new FakeTaskContext("embed", "once", JsonObject.create()));
    VerifyRequest honest =
        new VerifyRequest(
            "embed",
            "once",
            JsonObject.create(),
            FakeTaskContext.CREATED,
            JsonObject.create(),
            vector);
    assertThat(inference.verify(honest).same()).isTrue();
    VerifyRequest forged =
        new VerifyRequest(
            "embed",
            "twice",
            JsonObject.create(),
            FakeTaskContext.CREATED,
            JsonObject.create(),
            vector);
    assertThat(inference.verify(forged).message()).startsWith("differs from character ");
  }

  @Test
  void aTaskOfAProgramCannotBeRepeatedByAModel() {
    VerifyRequest now =
        new VerifyRequest(
            "resize",
            "x",
            JsonObject.create(),
            FakeTaskContext.CREATED,
            JsonObject.create(),
            result);
    assertThat(inference.verify(now).message())
        .isEqualTo("cannot be repeated here: tasks of type \"resize\" are not run by a model");
  }
}
