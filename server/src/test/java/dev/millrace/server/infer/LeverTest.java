package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
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
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cancel and pause act within one token. A second sequence, which is in the batch before the task's,
 * holds the engine in the middle of a step until the lever was stored and has reached the task.
 */
@Timeout(60)
class LeverTest {
  private static final Cause USER = Cause.user("ann", null);

  private final CountDownLatch taskSubmitted = new CountDownLatch(1);
  private final CountDownLatch engineHeld = new CountDownLatch(1);
  private final CountDownLatch leverReached = new CountDownLatch(1);
  private final AtomicLong secondSequenceTokens = new AtomicLong();

  enum Lever {
    PAUSE,
    ABORT
  }

  /** Waits at its first token for the task's sequence, and at the task's first for the lever. */
  private final class SecondSequence implements GenerationListener {
    private final Engine engine;

    SecondSequence(Engine engine) {
      this.engine = engine;
    }

    @Override
    public void token(int id, String text, @Nullable Logprobs logprobs) {
      long own = secondSequenceTokens.incrementAndGet();
      if (own == 1) {
        await(taskSubmitted);
      } else if (engineHeld.getCount() > 0 && engine.stats().chosenTokens() > own) {
        engineHeld.countDown();
        await(leverReached);
      }
    }

    private static void await(CountDownLatch signal) {
      try {
        signal.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The same worker, with signals when its sequence is submitted, and when a lever reaches it. */
  private Worker withSignals(Worker worker) {
    return Worker.ofOutcome(
        worker.type(),
        task ->
            worker.work(
                (TaskContext)
                    Proxy.newProxyInstance(
                        TaskContext.class.getClassLoader(),
                        new Class<?>[] {TaskContext.class},
                        (_, method, arguments) -> {
                          boolean hook = Set.of("onPause", "onCancel").contains(method.getName());
                          if (hook) {
                            arguments[0] = thenSignal((Runnable) arguments[0]);
                          }
                          Object result = method.invoke(task, arguments);
                          if (method.getName().equals("onPause")) {
                            taskSubmitted.countDown(); // the runner asks for this one last
                          }
                          return result;
                        })));
  }

  private Runnable thenSignal(Runnable hook) {
    return () -> {
      hook.run();
      leverReached.countDown();
    };
  }

  private Generation startSecondSequence(Engine engine) {
    int[] prompt = {1};
    GenerationRequest request =
        GenerationRequest.of(prompt, Sampling.greedy(), TinyModels.CONTEXT).ignoringEnd();
    return engine.submit(request, new SecondSequence(engine));
  }

  @ParameterizedTest
  @EnumSource(Lever.class)
  void atMostOneTokenFollowsADurableLever(Lever lever) throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer();
        Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      Engine engine = inference.library().loadedModels().getFirst().engine();
      try {
        pull(lever, inMemory, inference, engine);
      } finally {
        taskSubmitted.countDown(); // a failure must not leave the engine held
        leverReached.countDown();
      }
    }
  }

  private void pull(Lever lever, InMemoryServer inMemory, Inference inference, Engine engine)
      throws Exception {
    Generation second = startSecondSequence(engine);
    Server server = inMemory.start(withSignals(inference.workers().getFirst()));
    JobId job = inMemory.submit(stage());
    engineHeld.await();
    long before = engine.stats().chosenTokens() - secondSequenceTokens.get();
    switch (lever) {
      case PAUSE -> inMemory.store.pause(job, USER);
      case ABORT -> inMemory.store.abort(job, USER);
    }
    assertThat(before).as("tokens before the lever").isBetween(1L, 200L);
    inMemory.await(job, () -> server.status().running().isEmpty());
    second.cancel();
    second.await();
    long generated = engine.stats().chosenTokens() - secondSequenceTokens.get();
    assertThat(generated).as("tokens after all").isBetween(before, before + 1);
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
