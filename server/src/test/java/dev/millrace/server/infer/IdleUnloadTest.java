package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.shelf.ModelShelf;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An idle model is unloaded, and loaded again for the next task. */
@Timeout(60)
class IdleUnloadTest {
  private static final String DATA = "{\"max_tokens\": 20, \"ignore_eos\": true}";

  @Test
  void anUnusedModelIsUnloadedAndLoadedAgainOnDemand() throws Exception {
    AtomicLong clock = new AtomicLong();
    InferenceSettings settings =
        TinyModels.serving(TinyModels.llama()).withIdle(Duration.ofMinutes(5));
    try (Inference inference = Inference.open(settings, clock::get)) {
      String text = TaskRunFixture.result(inference, FakeTaskContext.generate("once", DATA)).text();
      ModelShelf shelf = inference.library().shelf();
      LoadedModel first = inference.library().loadedModels().getFirst();
      clock.addAndGet(Duration.ofMinutes(5).toNanos() - 1);
      shelf.unloadIdle();
      assertThat(inference.stats().loaded()).containsExactly("tiny");
      assertThat(inference.stats().models())
          .singleElement()
          .satisfies(
              wheel -> {
                assertThat(wheel.model()).isEqualTo("tiny");
                assertThat(wheel.slots()).isPositive();
                assertThat(wheel.pagesFree()).isPositive();
              });
      clock.addAndGet(1);
      shelf.unloadIdle();
      assertThat(inference.stats().loaded()).isEmpty();
      assertThat(inference.stats().models()).isEmpty();
      assertThat(TaskRunFixture.result(inference, FakeTaskContext.generate("once", DATA)).text())
          .isEqualTo(text);
      assertThat(inference.stats().loaded()).containsExactly("tiny");
      assertThat(inference.library().loadedModels()).doesNotContain(first).hasSize(1);
    }
  }
}
