package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The scheduler's side of a generation: it carries stop requests in and the result out. */
final class GenerationHandle implements Generation {
  /** What a submitter asks of a running generation; a later constant overrides an earlier one. */
  enum StopRequest {
    NONE,
    RELEASE,
    CANCEL
  }

  private final Runnable wake;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile StopRequest stopRequest = StopRequest.NONE;
  private volatile @Nullable GenerationResult result;

  /**
   * @param wake called after each new stop request
   */
  GenerationHandle(Runnable wake) {
    this.wake = wake;
  }

  @Override
  public void cancel() {
    request(StopRequest.CANCEL);
  }

  @Override
  public void release() {
    request(StopRequest.RELEASE);
  }

  private synchronized void request(StopRequest stop) {
    if (stop.compareTo(stopRequest) > 0) {
      stopRequest = stop;
      wake.run();
    }
  }

  StopRequest stopRequest() {
    return stopRequest;
  }

  @Override
  public boolean isDone() {
    return result != null;
  }

  @Override
  public Optional<GenerationResult> result() {
    return Optional.ofNullable(result);
  }

  @Override
  public GenerationResult await() throws InterruptedException {
    ended.await();
    return Optional.ofNullable(result).orElseThrow();
  }

  @Override
  public Optional<GenerationResult> await(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS) ? result() : Optional.empty();
  }

  void end(GenerationResult ending) {
    result = ending;
    ended.countDown();
  }
}
