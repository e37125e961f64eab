package dev.millrace.engine.wheel;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A submitted request, as its submitter holds it. For any thread. */
public final class Generation {
  /** What a submitter wants of a running one; what is further down weighs more. */
  enum Wish {
    GO_ON,
    RELEASE,
    CANCEL
  }

  private final Runnable wake;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Wish wish = Wish.GO_ON;
  private volatile @Nullable Result result;

  Generation(Runnable wake) {
    this.wake = wake;
  }

  /**
   * Ends it with CANCELLED before its next token but one; one that is with other nodes when it is
   * back, or given up. Does nothing where it has ended.
   */
  public void cancel() {
    wish(Wish.CANCEL);
  }

  /** Ends it with RELEASED, when {@link #cancel} would; from its tokens another can go on. */
  public void release() {
    wish(Wish.RELEASE);
  }

  private synchronized void wish(Wish wished) {
    if (wished.compareTo(wish) > 0) {
      wish = wished;
      wake.run();
    }
  }

  Wish wish() {
    return wish;
  }

  public boolean isDone() {
    return result != null;
  }

  /** The result; empty while there is none. */
  public Optional<Result> result() {
    return Optional.ofNullable(result);
  }

  /** Waits for the end. */
  public Result await() throws InterruptedException {
    over.await();
    return Optional.ofNullable(result).orElseThrow();
  }

  /** Waits for the end so long at most; empty where it has not come. */
  public Optional<Result> await(Duration limit) throws InterruptedException {
    return over.await(limit.toNanos(), TimeUnit.NANOSECONDS) ? result() : Optional.empty();
  }

  void end(Result ended) {
    result = ended;
    over.countDown();
  }
}
