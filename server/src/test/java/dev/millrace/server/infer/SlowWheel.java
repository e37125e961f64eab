package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sequence that slows the engine down, so that a lever finds a running generation on any machine:
 * other sequences need at least 2 ms for a token until this is closed or has filled its context.
 */
final class SlowWheel implements GenerationListener, AutoCloseable {
  private final CountDownLatch over = new CountDownLatch(1);
  private final Generation generation;

  SlowWheel(Inference inference) {
    Engine engine = inference.library().loadedModels().getFirst().engine();
    GenerationRequest request =
        GenerationRequest.of(new int[] {1}, Sampling.greedy(), TinyModels.CONTEXT).ignoringEnd();
    generation = engine.submit(request, this);
  }

  @Override
  public void token(int id, String text, @Nullable Logprobs logprobs) {
    try {
      over.await(2, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    over.countDown();
    generation.cancel();
  }
}
