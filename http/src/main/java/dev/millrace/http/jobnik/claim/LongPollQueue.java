package dev.millrace.http.jobnik.claim;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The requests that wait for tasks of one stage type, in the order they came. It only keeps the
 * order: a waiter claims by itself when it is woken. The {@link TaskDispatcher} guards it with its
 * lock.
 */
final class LongPollQueue {

  /** A waiting request. */
  static final class Waiter {
    private final Semaphore wakes = new Semaphore(0);

    private boolean isWoken() {
      return wakes.availablePermits() > 0;
    }

    /** Waits to be woken. */
    boolean awaitWake(long nanos) throws InterruptedException {
      return wakes.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private final Set<Waiter> waiters = new LinkedHashSet<>();

  /** Adds a waiter at the end, and wakes the first. */
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

  /** Wakes the first waiter, if it is not yet woken; others would compete for a single task. */
  void wakeFirst() {
    for (Waiter first : waiters) {
      if (!first.isWoken()) {
        first.wakes.release();
      }
      return;
    }
  }

  /** Wakes the first {@code most} waiters that are not yet woken. */
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
