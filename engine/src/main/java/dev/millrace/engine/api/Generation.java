package dev.millrace.engine.api;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A submitted request, as its submitter holds it. For any thread. */
public final class Generation {
  /** What a submitter wants of a running one; what is further down weighs more. */
  public enum StopRequest {
    NONE,
    RELEASE,
    CANCEL
  }

  private final Runnable wake;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile StopRequest stopRequest = StopRequest.NONE;
  private volatile @Nullable GenerationResult result;

  public Generation(Runnable wake) {
    this.wake = wake;
  }

  /**
   * Ends it with CANCELLED before its next token but one; one that is with other nodes when it is
   * back, or given up. Does nothing where it has ended.
   */
  public void cancel() {
    stopRequest(StopRequest.CANCEL);
  }

  /** Ends it with RELEASED, when {@link #cancel} would; from its tokens another can go on. */
  public void release() {
    stopRequest(StopRequest.RELEASE);
  }

  private synchronized void stopRequest(StopRequest wished) {
    if (wished.compareTo(stopRequest) > 0) {
      stopRequest = wished;
      wake.run();
    }
  }

  public StopRequest stopRequest() {
    return stopRequest;
  }

  public boolean isDone() {
    return result != null;
  }

  /** The result; empty while there is none. */
  public Optional<GenerationResult> result() {
    return Optional.ofNullable(result);
  }

  /** Waits for the end. */
  public GenerationResult await() throws InterruptedException {
    over.await();
    return Optional.ofNullable(result).orElseThrow();
  }

  /** Waits for the end so long at most; empty where it has not come. */
  public Optional<GenerationResult> await(Duration limit) throws InterruptedException {
    return over.await(limit.toNanos(), TimeUnit.NANOSECONDS) ? result() : Optional.empty();
  }

  public void end(GenerationResult ended) {
    result = ended;
    over.countDown();
  }
}
