package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Result;
import dev.millrace.engine.wheel.Usage;
import dev.millrace.server.TaskOutcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What may go well another time, and what will not. */
class EndingTest {
  private static Failure failure(boolean refused) {
    FakeTask task = FakeTask.generate("x", "{}");
    Effective parameters =
        Effective.of(Parameters.of(JsonObject.create(), "x"), Defaults.usual(), 1);
    Terms terms = new Terms("m", "0", Numerics.VERSION, "F16", 64, 1, "0", null, parameters);
    Settled settled = new Settled(new Prompted(new int[] {1}, null), terms, new int[0]);
    Lease<Shelved> lease = lease();
    Usage usage = new Usage(1, 0, 1, 0, 0, 0, 0);
    Result result =
        new Result(Finish.FAILED, "it broke", refused, new int[] {5}, "half", "", null, usage);
    TaskOutcome outcome = new Ending(settled, task, new Brake(), lease, false).of(result);
    return ((TaskOutcome.Failed) outcome).failure();
  }

  private static Lease<Shelved> lease() {
    Shelved nothing =
        new Shelved() {
          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public void close() {}
        };
    Source<Shelved> source =
        new Source<>() {
          @Override
          public String name() {
            return "m";
          }

          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public Shelved load() {
            return nothing;
          }
        };
    ModelShelf shelf = new ModelShelf(new Budget(1, 0), Duration.ofHours(1), System::nanoTime);
    return new Lease<>(shelf, new Place<>(source), nothing);
  }

  @Test
  void whatAnEngineThrewMayGoWellAnotherTime() {
    assertThat(failure(false).retryable()).isTrue();
    assertThat(failure(false).partial()).isEqualTo("half");
  }

  @Test
  void whatWasRefusedEndsTheSameEveryTime() {
    assertThat(failure(true).retryable()).isFalse();
  }

  @Test
  void aRuleThatCouldNotBeCompiledIsTriedAgain() throws InterruptedException {
    AtomicInteger compilations = new AtomicInteger();
    Constraints constraints =
        new Constraints(
            (Grammar _) -> {
              compilations.incrementAndGet();
              throw new OutOfMemoryError("for now");
            });
    Rule rule = new Rule(Rule.Kind.JSON_OBJECT, "", true);
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(() -> constraints.of(rule))
          .isNotInstanceOf(Refusal.class)
          .hasMessageContaining("for now");
      assertThat(compilations).hasValue(i);
    }
  }

  @Test
  void aRuleThatIsRefusedIsCompiledOnce() {
    AtomicInteger compilations = new AtomicInteger();
    Constraints constraints =
        new Constraints(
            (Grammar _) -> {
              compilations.incrementAndGet();
              throw new Refusal("never");
            });
    Rule rule = new Rule(Rule.Kind.JSON_OBJECT, "", true);
    for (int i = 1; i <= 2; i++) {
      assertThatThrownBy(() -> constraints.of(rule))
          .isInstanceOf(Refusal.class)
          .hasMessage("never");
    }
    assertThat(compilations).hasValue(1);
  }
}
