package dev.millrace.server.internal;

import java.time.Duration;

/**
 * Delays the next claim after signals that brought no task for this pool. The store signals
 * possible work; if that is repeatedly for others (tasks of other types), the pool looks less
 * often. Used by the pool's thread only.
 */
public final class ClaimBackoff {
  private static final Duration SOON = Duration.ofMillis(20);
  private static final int FREE_WAKES = 3;
  private static final int LONGEST_NAP_MS = 50;

  private int wakesInVain;

  /** An action that may block. */
  @FunctionalInterface
  public interface BlockingWait {
    void await() throws InterruptedException;
  }

  /** A task was claimed. */
  public void reset() {
    wakesInVain = 0;
  }

  /** Waits for work, and a little longer if the last signals were in vain. */
  public void await(BlockingWait forWork) throws InterruptedException {
    if (wakesInVain > FREE_WAKES) {
      Thread.sleep(Math.min(LONGEST_NAP_MS, 1 << Math.min(wakesInVain - FREE_WAKES, 10)));
    }
    long start = System.nanoTime();
    forWork.await();
    wakesInVain = System.nanoTime() - start < SOON.toNanos() ? wakesInVain + 1 : 0;
  }
}
