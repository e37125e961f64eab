package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.run.TokenJournaler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the journal learns, and when. */
@Timeout(120)
class TokenJournalerTest {
  @Test
  void aTaskIsAtWorkBeforeItHasAToken() throws InterruptedException {
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      GenerationRequest request =
          GenerationRequest.of(new int[] {1}, Sampling.greedy(), 1).ignoringEnd();
      Generation generation =
          inference
              .library()
              .generating()
              .getFirst()
              .engine()
              .submit(request, (id, text, logprobs) -> {});
      generation.await();
      FakeTaskContext task = FakeTaskContext.generate("x", "{}");
      TokenJournaler scribe = new TokenJournaler(task, 0);
      task.onBegin = () -> scribe.ended(generation.result().orElseThrow());
      scribe.began();
      scribe.journalUntilEnd(generation);
      assertThat(task.pieces).as("nothing that readers would see").isEmpty();
      assertThat(task.begun).isEqualTo(1);
    }
  }
}
