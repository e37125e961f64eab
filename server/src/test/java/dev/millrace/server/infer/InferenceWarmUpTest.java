package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.InferenceStats.TokenTotals;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A warm-up is seen nowhere, and no task waits for it. */
@Timeout(60)
class InferenceWarmUpTest {
  private static final String DATA = "{\"max_tokens\": 20, \"ignore_eos\": true, \"seed\": 3}";

  private static Inference open() {
    return Inference.open(TinyModels.serving(TinyModels.llama()));
  }

  private static String text(Inference inference) throws Exception {
    return TaskRunFixture.result(inference, FakeTaskContext.generate("once", DATA)).text();
  }

  @Test
  void itLeavesNoTrace() throws Exception {
    String cold;
    try (Inference inference = open()) {
      cold = text(inference);
    }
    try (Inference inference = open()) {
      inference.warmUp(Duration.ofMillis(200), () -> false);
      InferenceStats stats = inference.stats();
      assertThat(stats.tokens()).isEqualTo(new TokenTotals(0, 0, 0, 0));
      assertThat(stats.models().getFirst().batches()).isZero();
      assertThat(stats.models().getFirst().pagesUsed()).isZero();
      assertThat(stats.models().getFirst().pagesCached()).isZero();
      assertThat(text(inference)).isEqualTo(cold);
      assertThat(inference.stats().tokens().cached()).isZero();
    }
  }

  @Test
  void itGivesWayToATaskAndEndsForAStop() throws Exception {
    try (Inference inference = open()) {
      inference.warmUp(Duration.ofDays(1), () -> true);
    }
    try (Inference inference = open()) {
      AtomicBoolean stop = new AtomicBoolean();
      CompletableFuture<Void> warmUp =
          CompletableFuture.runAsync(
              () -> {
                try {
                  inference.warmUp(Duration.ofDays(1), stop::get);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(text(inference)).isNotEmpty();
      stop.set(true); // a few tokens do not warm a model up: it would wait for more
      warmUp.join();
    }
  }
}
