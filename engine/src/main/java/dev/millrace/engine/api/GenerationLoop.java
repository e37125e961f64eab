package dev.millrace.engine.api;

import java.time.Duration;

/**
 * The scheduler that computes the requests of one model. {@link #run} works until the loop is
 * closed, on the thread that calls it. Any thread may call the other methods.
 */
public interface GenerationLoop extends Runnable, AutoCloseable {
  /** Queues a request. The listener is called on the thread of {@link #run}. */
  Generation submit(GenerationRequest request, GenerationListener listener);

  /**
   * Begins to compute made-up requests until that is as fast as it gets, for at most {@code most};
   * returns at once. It gives way to the first request that is submitted, and leaves nothing in the
   * cache and the {@link #stats}. A loop that has computed before, or has no way to, does nothing.
   */
  default WarmUp warmUp(Duration most) {
    return WarmUp.DONE;
  }

  WheelStats stats();

  /** Ends {@link #run} and releases every generation that has not ended. */
  @Override
  void close();
}
