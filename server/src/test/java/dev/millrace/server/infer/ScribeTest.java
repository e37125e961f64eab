package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.sample.Sampling;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the journal learns, and when. */
@Timeout(120)
class ScribeTest {
  @Test
  void aTaskIsAtWorkBeforeItHasAToken() throws InterruptedException {
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      Request request = Request.of(new int[] {1}, Sampling.greedy(), 1).ignoringEnd();
      Generation generation =
          inference
              .library()
              .generating()
              .getFirst()
              .engine()
              .submit(request, (id, text, logprobs) -> {});
      generation.await();
      FakeTask task = FakeTask.generate("x", "{}");
      Scribe scribe = new Scribe(task, 0);
      task.onBegin = () -> scribe.ended(generation.result().orElseThrow());
      scribe.began();
      scribe.follow(generation);
      assertThat(task.pieces).as("nothing that readers would see").isEmpty();
      assertThat(task.begun).isEqualTo(1);
    }
  }
}
