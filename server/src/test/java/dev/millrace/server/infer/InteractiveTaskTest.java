package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task says by itself that someone waits for it, wherever and whenever it is claimed. */
@Timeout(60)
class InteractiveTaskTest {
  private static final String DATA =
      "{\"max_tokens\": 4, \"ignore_eos\": true, \"raw\": true, \"interactive\": true}";

  /** A sequence of the queue that begins when the task is submitted, and ends after it. */
  private static final class QueueSequence implements GenerationListener {
    private final CountDownLatch submitted;
    private final CountDownLatch over;
    private final AtomicInteger ended;
    private int tokens; // of the engine's thread

    QueueSequence(CountDownLatch submitted, CountDownLatch over, AtomicInteger ended) {
      this.submitted = submitted;
      this.over = over;
      this.ended = ended;
    }

    @Override
    public void token(int id, String text, @Nullable Logprobs logprobs) {
      try {
        submitted.await();
        if (++tokens == TinyModels.CONTEXT / 2) {
          over.await(5, TimeUnit.SECONDS); // a task that comes later than this would wait for ever
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void ended(GenerationResult result) {
      ended.incrementAndGet();
    }
  }

  @Test
  void itIsComputedBeforeTheSequencesOfTheQueue() throws Exception {
    CountDownLatch submitted = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    GenerationRequest request =
        GenerationRequest.of(new int[] {1}, Sampling.greedy(), TinyModels.CONTEXT)
            .ignoringEnd()
            .withOrder(-1);
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      Engine engine = inference.library().loadedModels().getFirst().engine();
      for (int i = 0; i < TinyModels.engine().slots(); i++) {
        engine.submit(request, new QueueSequence(submitted, over, ended));
      }
      FakeTaskContext task = FakeTaskContext.generate("once", DATA);
      task.onWait = submitted::countDown;
      try {
        TaskRunFixture.result(inference, task);
        assertThat(ended).hasValue(0);
      } finally {
        submitted.countDown(); // else the engine would never close
        over.countDown();
      }
    }
  }

  @Test
  void othersMakeRoomForItsModelAsForAChat() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (TwoModels models = new TwoModels(clock)) {
      ModelLease<LoadedModel> used = models.lease("tiny");
      CompletableFuture<TaskOutcome> outcome = new CompletableFuture<>();
      FakeTaskContext task =
          FakeTaskContext.generate("once", DATA.replace("}", ", \"model\": \"other\"}"));
      Thread.ofPlatform().start(() -> outcome.complete(models.run(task)));
      await().until(models.inference.library().shelf()::hasWaiting);

      clock.addAndGet(Duration.ofSeconds(2).toNanos());
      models.inference.library().maintain();
      ModelRequest<LoadedModel> late = models.inference.library().requestGenerator("tiny");
      assertThat(late.isDoneWithin(Duration.ZERO)).as("the model in use is lent no more").isFalse();
      used.close();
      assertThat(outcome.get()).isInstanceOf(TaskOutcome.Done.class);
      late.cancel();
    }
  }
}
