package dev.millrace.server.infer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.TinyModels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is journaled, and when. */
@Timeout(120)
class TokenJournalerTest {
  @Test
  void theStartOfATaskIsJournaledBeforeItsFirstToken() throws InterruptedException {
    try (Engine engine = Engine.open(TinyModels.llama().file(), TinyModels.engine())) {
      GenerationRequest request =
          GenerationRequest.of(new int[] {1}, Sampling.greedy(), 1).ignoringEnd();
      Generation generation = engine.submit(request, (id, text, logprobs) -> {});
      generation.await();
      FakeTaskContext task = FakeTaskContext.generate("x", "{}");
      TokenJournaler journaler =
          new TokenJournaler(task, 0, new OutputRecorder(OutputChunk.EMPTY, _ -> new byte[0]), 9);
      task.onBegin = () -> journaler.ended(generation.result().orElseThrow());
      journaler.began();
      journaler.journalUntilEnd(generation);
      assertThat(task.pieces).as("no chunk that readers would see").isEmpty();
      assertThat(task.begun).isEqualTo(1);
    }
  }
}
