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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cancel and pause act within one token. Company of the task holds the wheel in the middle of a
 * turn, until the lever was pulled at the store and its word has reached the task.
 */
@Timeout(60)
class LeverTest {
  private static final Cause USER = Cause.user("ann", null);

  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch told = new CountDownLatch(1);
  private final AtomicLong company = new AtomicLong(); // its tokens
  private final AtomicReference<Generation> beside = new AtomicReference<>();

  enum Lever {
    PAUSE,
    ABORT
  }

  /** Turns with the task from its first tokens on, and stops the wheel for a while. */
  private final class Company implements GenerationListener {
    @Override
    public void token(int id, String text, @Nullable Logprobs logprobs) {
      if (company.incrementAndGet() == 1) {
        held.countDown();
        try {
          told.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /**
   * The same worker, with company from its first output on, and word when a lever has reached it.
   */
  private Worker accompanied(Worker worker, Engine engine) {
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
                            case "journal" -> join(engine);
                            case "onPause", "onCancel" ->
                                arguments[0] = thenTold((Runnable) arguments[0]);
                            default -> {}
                          }
                          return method.invoke(task, arguments);
                        })));
  }

  private Runnable thenTold(Runnable hook) {
    return () -> {
      hook.run();
      told.countDown();
    };
  }

  private void join(Engine engine) {
    if (beside.get() == null) {
      int[] prompt = {1};
      GenerationRequest request =
          GenerationRequest.of(prompt, Sampling.greedy(), TinyModels.CONTEXT).ignoringEnd();
      beside.set(engine.submit(request, new Company()));
    }
  }

  @ParameterizedTest
  @EnumSource(Lever.class)
  void atMostOneTokenFollowsALeverThatIsDurable(Lever lever) throws Exception {
    try (InMemoryServer mill = new InMemoryServer();
        Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      Engine engine = inference.library().loadedModels().getFirst().engine();
      Server server = mill.start(accompanied(inference.workers().getFirst(), engine));
      JobId job = mill.submit(stage());
      held.await();
      long before = engine.stats().chosenTokens() - 1;
      assertThat(before).as("tokens before the lever").isBetween(1L, 200L);
      switch (lever) {
        case PAUSE -> mill.store.pause(job, USER);
        case ABORT -> mill.store.abort(job, USER);
      }
      mill.await(job, () -> server.status().running().isEmpty());
      beside.get().cancel();
      beside.get().await();
      long generated = engine.stats().chosenTokens() - company.get();
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
