package dev.millrace.server.http.jobnik;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Those who wait for tasks of one type, in the order they came. Nothing but their order: each looks
 * for itself when it is called. The {@link Dispatcher} guards it.
 */
final class Line {

  /** One who waits. */
  static final class Waiter {
    private final Semaphore calls = new Semaphore(0);

    private boolean isCalled() {
      return calls.availablePermits() > 0;
    }

    /** Waits to be called, which counts once. */
    boolean awaitCall(long nanos) throws InterruptedException {
      return calls.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private final Set<Waiter> waiters = new LinkedHashSet<>();

  /** At the end of the line; the first is called at once. */
  Waiter join() {
    Waiter waiter = new Waiter();
    waiters.add(waiter);
    callFirst();
    return waiter;
  }

  void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  /** Calls the first, if it is not called already: more would race it for a single task. */
  void callFirst() {
    for (Waiter first : waiters) {
      if (!first.isCalled()) {
        first.calls.release();
      }
      return;
    }
  }

  /** Calls the first {@code most} of those who are not called already. */
  void call(int most) {
    int left = most;
    for (Waiter waiter : waiters) {
      if (left == 0) {
        return;
      }
      if (!waiter.isCalled()) {
        waiter.calls.release();
        left--;
      }
    }
  }
}
