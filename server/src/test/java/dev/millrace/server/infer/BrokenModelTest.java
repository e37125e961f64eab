package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.infer.model.LoadedModel;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine that ends while tasks use it: they fail, and the next task loads the model again. */
@Timeout(60)
class BrokenModelTest {
  private static final String DATA =
      "{\"max_tokens\": 200, \"seed\": 3, \"ignore_eos\": true, \"raw\": true}";

  @Test
  void anEngineThatEndsByItselfFailsTheAttemptAndIsReplaced() throws Exception {
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      String text = TaskRunFixture.result(inference, FakeTaskContext.generate("once", DATA)).text();
      LoadedModel first = inference.library().loadedModels().getFirst();
      FakeTaskContext task = FakeTaskContext.generate("once", DATA);
      CountDownLatch closed = new CountDownLatch(1);
      task.onJournal =
          _ -> {
            if (closed.getCount() > 0) {
              first.close();
              closed.countDown();
            }
          };
      TaskOutcome outcome;
      try (SlowWheel _ = new SlowWheel(inference)) {
        outcome = TaskRunFixture.run(inference, task);
      }
      assertThat(outcome).isInstanceOf(TaskOutcome.Failed.class);
      Failure failure = ((TaskOutcome.Failed) outcome).failure();
      assertThat(failure.message()).startsWith("the engine stopped: ");
      assertThat(failure.retryable()).isTrue();
      assertThat(text).startsWith(String.valueOf(failure.partial()));

      TaskResult result = TaskRunFixture.result(inference, task.again(task.tokens().size()));
      assertThat(result.text()).isEqualTo(text);
      assertThat(inference.library().loadedModels()).doesNotContain(first).hasSize(1);
    }
  }

  @Test
  void aTaskThatFindsTheEngineEndedKeepsItsTokens() throws Exception {
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      FakeTaskContext whole = FakeTaskContext.generate("once", DATA);
      String text = TaskRunFixture.result(inference, whole).text();
      inference.library().loadedModels().getFirst().close();
      FakeTaskContext again = whole.again(100);
      Failure failure = TaskRunFixture.failure(inference, again);
      assertThat(failure.message()).isEqualTo("model \"tiny\" no longer runs");
      assertThat(failure.retryable()).isTrue();
      assertThat(again.lines).as("nothing was discarded").isEmpty();
      assertThat(TaskRunFixture.result(inference, whole.again(100)).text()).isEqualTo(text);
    }
  }
}
