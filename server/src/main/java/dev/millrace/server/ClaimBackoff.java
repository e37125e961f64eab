package dev.millrace.server;

import java.time.Duration;

/**
 * Keeps a pool from spinning. A store says that there may be something to claim; where that is
 * again and again not for this pool (tasks of other types), it looks less and less often. Owned by
 * the pool's thread.
 */
final class ClaimBackoff {
  private static final Duration SOON = Duration.ofMillis(20);
  private static final int FREE_WAKES = 3;
  private static final int LONGEST_NAP_MS = 50;

  private int fruitless;

  /** There was something to do. */
  void reset() {
    fruitless = 0;
  }

  /** Waits for work, and a little longer if it has often been called for nothing. */
  void await(WorkerPool.BlockingWait forWork) throws InterruptedException {
    if (fruitless > FREE_WAKES) {
      Thread.sleep(Math.min(LONGEST_NAP_MS, 1 << Math.min(fruitless - FREE_WAKES, 10)));
    }
    long start = System.nanoTime();
    forWork.await();
    fruitless = System.nanoTime() - start < SOON.toNanos() ? fruitless + 1 : 0;
  }
}
