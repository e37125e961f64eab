package dev.millrace.http.jobnik.claim;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Those who wait for tasks of one type, in the order they came. Nothing but their order: each looks
 * for itself when it is called. The {@link TaskDispatcher} guards it.
 */
final class LongPollQueue {

  /** One who waits. */
  static final class Waiter {
    private final Semaphore wakes = new Semaphore(0);

    private boolean isWoken() {
      return wakes.availablePermits() > 0;
    }

    /** Waits to be called, which counts once. */
    boolean awaitWake(long nanos) throws InterruptedException {
      return wakes.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private final Set<Waiter> waiters = new LinkedHashSet<>();

  /** At the end of the line; the first is called at once. */
  Waiter join() {
    Waiter waiter = new Waiter();
    waiters.add(waiter);
    wakeFirst();
    return waiter;
  }

  void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  /** Calls the first, if it is not called already: more would race it for a single task. */
  void wakeFirst() {
    for (Waiter first : waiters) {
      if (!first.isWoken()) {
        first.wakes.release();
      }
      return;
    }
  }

  /** Calls the first {@code most} of those who are not called already. */
  void wake(int most) {
    int left = most;
    for (Waiter waiter : waiters) {
      if (left == 0) {
        return;
      }
      if (!waiter.isWoken()) {
        waiter.wakes.release();
        left--;
      }
    }
  }
}
