package dev.millrace.server.infer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.infer.model.ConstraintCache;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.parameters.OutputGrammar;
import dev.millrace.server.infer.parameters.SamplingParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelMemoryBudget;
import dev.millrace.server.infer.shelf.ModelShelf;
import dev.millrace.server.infer.shelf.ModelSwitchBounds;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import dev.millrace.server.infer.shelf.ShelfSlot;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which failures are retried, and which are permanent. */
class OutcomeMapperTest {
  private static Failure failure(boolean refused) {
    FakeTaskContext task = FakeTaskContext.generate("x", "{}");
    EffectiveParameters parameters =
        EffectiveParameters.of(
            GenerateParameters.of(JsonObject.create(), "x"), SamplingParameters.builtIn(), 1);
    FrozenTerms terms =
        new FrozenTerms(
            new FrozenTerms.ModelIdentity("m", "0", NumericsVersion.of(1)),
            new FrozenTerms.CacheShape("F16", 64),
            new FrozenTerms.PromptIdentity(1, "0", null, null, null),
            parameters);
    ResolvedTask resolved =
        new ResolvedTask(new TokenizedPrompt(new int[] {1}, null, null), terms, OutputChunk.EMPTY);
    OutputRecorder recorder = new OutputRecorder(OutputChunk.EMPTY, _ -> new byte[0]);
    ModelLease<ShelfItem> lease = lease();
    GenerationUsage usage = new GenerationUsage(1, 0, 1, 0, 0, 0, 0);
    GenerationResult result =
        new GenerationResult(
            FinishReason.FAILED, "it broke", refused, new int[] {5}, "half", "", null, usage);
    TaskOutcome outcome =
        new OutcomeMapper(resolved, task, recorder, lease, false).outcomeOf(result);
    return ((TaskOutcome.Failed) outcome).failure();
  }

  private static ModelLease<ShelfItem> lease() {
    ShelfItem nothing =
        new ShelfItem() {
          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public void close() {}
        };
    ShelfItemLoader<ShelfItem> source =
        new ShelfItemLoader<>() {
          @Override
          public String name() {
            return "m";
          }

          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public ShelfItem load() {
            return nothing;
          }
        };
    ModelShelf shelf =
        new ModelShelf(
            new ModelMemoryBudget(1, 0),
            Duration.ofHours(1),
            ModelSwitchBounds.NONE,
            System::nanoTime);
    return new ModelLease<>(shelf, new ShelfSlot<>(source), nothing);
  }

  @Test
  void anErrorOfTheEngineMayBeRetried() {
    assertThat(failure(false).retryable()).isTrue();
    assertThat(failure(false).partial()).isEqualTo("half");
  }

  @Test
  void aRefusedTaskIsNotRetried() {
    assertThat(failure(true).retryable()).isFalse();
  }

  @Test
  void aConstraintThatCouldNotBeCompiledIsRetried() throws InterruptedException {
    AtomicInteger compilations = new AtomicInteger();
    ConstraintCache constraints =
        new ConstraintCache(
            (_, _) -> {
              compilations.incrementAndGet();
              throw new OutOfMemoryError("for now");
            });
    OutputGrammar grammar =
        new OutputGrammar(
            new OutputConstraint(OutputConstraint.Kind.JSON_OBJECT, "", true), null, Set.of());
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(() -> constraints.compile(grammar))
          .isNotInstanceOf(TaskRefused.class)
          .hasMessageContaining("for now");
      assertThat(compilations).hasValue(i);
    }
  }

  @Test
  void aRefusedConstraintIsCompiledOnce() {
    AtomicInteger compilations = new AtomicInteger();
    ConstraintCache constraints =
        new ConstraintCache(
            (_, _) -> {
              compilations.incrementAndGet();
              throw new TaskRefused("never");
            });
    OutputGrammar grammar =
        new OutputGrammar(
            new OutputConstraint(OutputConstraint.Kind.JSON_OBJECT, "", true), null, Set.of());
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(() -> constraints.compile(grammar))
          .isInstanceOf(TaskRefused.class)
          .hasMessage("never");
    }
    assertThat(compilations).hasValue(1);
  }
}
