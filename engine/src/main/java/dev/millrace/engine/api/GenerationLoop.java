package dev.millrace.engine.api;

/**
 * The scheduler that computes the requests of one model. {@link #run} works until the loop is
 * closed, on the thread that calls it. Any thread may call the other methods.
 */
public interface GenerationLoop extends Runnable, AutoCloseable {
  /** Queues a request. The listener is called on the thread of {@link #run}. */
  Generation submit(GenerationRequest request, GenerationListener listener);

  WheelStats stats();

  /** Ends {@link #run} and releases every generation that has not ended. */
  @Override
  void close();
}
