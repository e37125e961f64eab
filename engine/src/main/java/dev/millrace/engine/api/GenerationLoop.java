package dev.millrace.engine.api;

/**
 * The scheduler that computes the requests of one model: {@link #run} turns until it is closed, on
 * the thread that calls it. All other methods are for any thread.
 */
public interface GenerationLoop extends Runnable, AutoCloseable {
  /** Queues a request; the listener hears of its tokens and its end on the thread of {@link #run}. */
  Generation submit(GenerationRequest request, GenerationListener listener);

  WheelStats stats();

  /** Ends {@link #run} and releases every generation that has not ended. */
  @Override
  void close();
}
