package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.model.NamedModel;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What becomes of begun tasks and of old results when a later release has another arithmetic for
 * Q8_0 weights. The versions are made up: the arithmetic is always the same, so that only the
 * versions decide.
 */
@Timeout(60)
class NumericsChangeTest {
  private static final String DATA = "{\"max_tokens\": 40, \"ignore_eos\": true}";
  private static final SupportedNumerics NOW = SupportedNumerics.CURRENT;
  private static final SupportedNumerics CHANGED = NOW.with("q8_0", Set.of(2));
  private static final SupportedNumerics BOTH = NOW.with("q8_0", Set.of(1, 2));
  private static final String RAISED =
      "the version of the arithmetic of Q8_0 weights changed (1 then, 2 now)";

  /** A server of a release with these versions. */
  private static final class Release implements AutoCloseable {
    final FakeRemoteModel model;
    final Inference inference;

    Release(NamedModel file, SupportedNumerics supported) {
      model = new FakeRemoteModel(file, supported);
      model.becomeReady();
      inference = Inference.open(TinyModels.serving(model.named("m")));
    }

    TaskResult run(FakeTaskContext task) throws Exception {
      return TaskRunFixture.result(inference, task);
    }

    String verify(FakeTaskContext task, TaskResult result) {
      return inference
          .verify(
              new VerifyRequest(
                  "generate",
                  "once upon",
                  Json.object(DATA),
                  FakeTaskContext.CREATED,
                  Json.object(Objects.requireNonNull(task.frozen).toString()),
                  result))
          .message();
    }

    @Override
    public void close() {
      inference.close();
    }
  }

  /** A task that ran to its end; a later attempt may resume from any of its tokens. */
  private record Begun(FakeTaskContext task, TaskResult result) {
    static Begun under(NamedModel file, SupportedNumerics supported) throws Exception {
      try (Release release = new Release(file, supported)) {
        FakeTaskContext task = FakeTaskContext.generate("once upon", DATA);
        return new Begun(task, release.run(task));
      }
    }

    JsonObject receipt() {
      return TaskRunFixture.receipt(result);
    }

    String same() {
      return "the same " + result.text().length() + " characters";
    }
  }

  @Test
  void aModelWithoutQ8WeightsResumesAndVerifies() throws Exception {
    Begun begun = Begun.under(TinyModels.fourBit(), NOW);
    assertThat(String.valueOf(begun.task.frozen)).contains("\"numerics\":1,");
    try (Release later = new Release(TinyModels.fourBit(), CHANGED)) {
      FakeTaskContext again = begun.task.again(30);
      TaskResult result = later.run(again);
      assertThat(again.lines).isEmpty();
      assertThat(result.text()).isEqualTo(begun.result.text());
      assertThat(TaskRunFixture.receipt(result).integer("resumed")).isEqualTo(30);
      assertThat(TaskRunFixture.receipt(result).get("numerics")).isEqualTo(1L);
      assertThat(later.verify(begun.task, begun.result)).isEqualTo(begun.same());
    }
  }

  @Test
  void aModelWithQ8WeightsRestartsAndCannotVerify() throws Exception {
    Begun begun = Begun.under(TinyModels.llama(), NOW);
    assertThat(begun.receipt().get("numerics")).isEqualTo(1L);
    try (Release later = new Release(TinyModels.llama(), CHANGED)) {
      FakeTaskContext again = begun.task.again(30);
      TaskResult result = later.run(again);
      assertThat(again.lines).containsExactly(RAISED + ": 30 tokens discarded; restarting");
      assertThat(TaskRunFixture.receipt(result).has("resumed")).isFalse();
      assertThat(TaskRunFixture.receipt(result).string("numerics")).isEqualTo("1,q8_0=2");
      assertThat(later.verify(begun.task, begun.result))
          .isEqualTo("cannot be repeated here: " + RAISED);
    }
  }

  @Test
  void aReleaseThatHasBothVersionsContinuesUnderTheOldOne() throws Exception {
    Begun begun = Begun.under(TinyModels.llama(), NOW);
    NumericsVersion old = NumericsVersion.of(1);
    try (Release later = new Release(TinyModels.llama(), BOTH)) {
      FakeTaskContext again = begun.task.again(30);
      TaskResult result = later.run(again);
      assertThat(again.lines).isEmpty();
      assertThat(TaskRunFixture.receipt(result).integer("resumed")).isEqualTo(30);
      assertThat(TaskRunFixture.receipt(result).get("numerics")).isEqualTo(1L);
      assertThat(later.verify(begun.task, begun.result)).isEqualTo(begun.same());
      FakeTaskContext fresh = FakeTaskContext.generate("once upon", DATA);
      assertThat(TaskRunFixture.receipt(later.run(fresh)).string("numerics")).isEqualTo("1,q8_0=2");
      assertThat(later.model.submitted)
          .as("the engine is told")
          .extracting(request -> request.numerics())
          .containsExactly(old, old, old.with("q8_0", 2));
    }
  }

  @Test
  void anOlderReleaseDoesNotContinueWhatANewerOneBegan() throws Exception {
    Begun begun = Begun.under(TinyModels.llama(), CHANGED);
    try (Release older = new Release(TinyModels.llama(), NOW)) {
      FakeTaskContext again = begun.task.again(30);
      older.run(again);
      assertThat(again.lines)
          .containsExactly(
              "the version of the arithmetic of Q8_0 weights changed (2 then, 1 now): 30 tokens"
                  + " discarded; restarting");
    }
  }

  @Test
  void termsWithAVersionThatCannotBeReadAreDiscarded() throws Exception {
    Begun begun = Begun.under(TinyModels.llama(), NOW);
    Objects.requireNonNull(begun.task.frozen).put("numerics", "1,q8_0");
    try (Release later = new Release(TinyModels.llama(), NOW)) {
      FakeTaskContext again = begun.task.again(30);
      later.run(again);
      assertThat(again.lines)
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .contains("cannot be read: \"1,q8_0\" is no numerics version")
                      .endsWith("30 tokens discarded; restarting"));
    }
  }

  @Test
  void aVectorIsOnlyRepeatedUnderItsVersion() throws Exception {
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.encoder()))) {
      FakeTaskContext task = new FakeTaskContext("embed", "once", JsonObject.create());
      TaskResult vector = TaskRunFixture.result(inference, task);
      JsonObject receipt = TaskRunFixture.receipt(vector);
      assertThat(receipt.get("numerics")).isEqualTo(1L);
      VerifyRequest request =
          new VerifyRequest(
              "embed",
              "once",
              JsonObject.create(),
              FakeTaskContext.CREATED,
              JsonObject.create(),
              vector);
      receipt.put("numerics", "1,q4_0=2");
      assertThat(inference.verify(request).same()).as("it has no such weights").isTrue();
      receipt.put("numerics", "1,q8_0=2");
      assertThat(inference.verify(request).message())
          .isEqualTo(
              "cannot be repeated here: the version of the arithmetic of Q8_0 weights changed (2"
                  + " then, 1 now)");
    }
  }
}
