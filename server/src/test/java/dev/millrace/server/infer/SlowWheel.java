package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.sample.Logprobs;
import dev.millrace.engine.sample.Sampling;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Listener;
import dev.millrace.engine.wheel.Request;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Company that makes a wheel turn slowly, so that a lever finds a generation under way on any
 * machine: whoever generates beside it needs 2 ms a token at least, until it is closed or has filled
 * its context.
 */
final class SlowWheel implements Listener, AutoCloseable {
  private final CountDownLatch over = new CountDownLatch(1);
  private final Generation generation;

  SlowWheel(Inference inference) {
    Engine engine = inference.library().generating().getFirst().engine();
    Request request =
        Request.of(new int[] {1}, Sampling.greedy(), TinyModels.CONTEXT).ignoringEnd();
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
