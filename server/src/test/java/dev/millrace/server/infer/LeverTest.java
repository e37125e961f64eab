package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.TaskContext;
import dev.millrace.server.Worker;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cancel and pause act within one token. A second sequence holds the engine in the middle of a step
 * until the lever was stored and has reached the task.
 */
@Timeout(60)
class LeverTest {
  private static final Cause USER = Cause.user("ann", null);

  private final CountDownLatch engineHeld = new CountDownLatch(1);
  private final CountDownLatch leverReached = new CountDownLatch(1);
  private final AtomicLong secondSequenceTokens = new AtomicLong();
  private final AtomicReference<Generation> secondSequence = new AtomicReference<>();

  enum Lever {
    PAUSE,
    ABORT
  }

  /** A second sequence in the batch, which stops the engine for a while. */
  private final class SecondSequence implements GenerationListener {
    @Override
    public void token(int id, String text, @Nullable Logprobs logprobs) {
      if (secondSequenceTokens.incrementAndGet() == 1) {
        engineHeld.countDown();
        try {
          leverReached.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /**
   * The same worker, with a second sequence from its first output on, and a signal when a lever has
   * reached it.
   */
  private Worker withSecondSequence(Worker worker, Engine engine) {
    return Worker.ofOutcome(
        worker.type(),
        task ->
            worker.work(
                (TaskContext)
                    Proxy.newProxyInstance(
                        TaskContext.class.getClassLoader(),
                        new Class<?>[] {TaskContext.class},
                        (_, method, arguments) -> {
                          switch (method.getName()) {
                            case "journal" -> {
                              if (!((OutputChunk) arguments[0]).waits()) {
                                startSecondSequence(engine);
                              }
                            }
                            case "onPause", "onCancel" ->
                                arguments[0] = thenSignal((Runnable) arguments[0]);
                            default -> {}
                          }
                          return method.invoke(task, arguments);
                        })));
  }

  private Runnable thenSignal(Runnable hook) {
    return () -> {
      hook.run();
      leverReached.countDown();
    };
  }

  private void startSecondSequence(Engine engine) {
    if (secondSequence.get() == null) {
      int[] prompt = {1};
      GenerationRequest request =
          GenerationRequest.of(prompt, Sampling.greedy(), TinyModels.CONTEXT).ignoringEnd();
      secondSequence.set(engine.submit(request, new SecondSequence()));
    }
  }

  @ParameterizedTest
  @EnumSource(Lever.class)
  void atMostOneTokenFollowsADurableLever(Lever lever) throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer();
        Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      Engine engine = inference.library().loadedModels().getFirst().engine();
      Server server = inMemory.start(withSecondSequence(inference.workers().getFirst(), engine));
      JobId job = inMemory.submit(stage());
      engineHeld.await();
      long before = engine.stats().chosenTokens() - 1;
      switch (lever) {
        case PAUSE -> inMemory.store.pause(job, USER);
        case ABORT -> inMemory.store.abort(job, USER);
      }
      assertThat(before).as("tokens before the lever").isBetween(1L, 200L);
      inMemory.await(job, () -> server.status().running().isEmpty());
      secondSequence.get().cancel();
      secondSequence.get().await();
      long generated = engine.stats().chosenTokens() - secondSequenceTokens.get();
      assertThat(generated).as("tokens after all").isBetween(before, before + 1);
    }
  }

  private static StageSpec stage() {
    String data = "{\"max_tokens\": 230, \"ignore_eos\": true, \"raw\": true, \"seed\": 5}";
    return StageSpec.builder("generate")
        .policy(InMemoryServer.ONE_ATTEMPT)
        .tasks(List.of(TaskSpec.of("once")))
        .data(Json.object(data))
        .build();
  }
}
