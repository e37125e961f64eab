package dev.millrace.store.postgres.internal.jobs;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts what may have made a task claimable, and wakes those who wait for it. Thread-safe. */
final class WorkSignal {
  private long count = 1;

  synchronized void raise() {
    count++;
    notifyAll();
  }

  synchronized long count() {
    return count;
  }

  /** Returns when the count is another one than {@code seen}, or the time has passed. */
  synchronized long await(long seen, Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    for (long left = atMost.toNanos(); count == seen && left > 0; left = end - System.nanoTime()) {
      wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }
    return count;
  }
}
