package dev.millrace.core.internal.concurrent;

import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets calls into a store until it is closed. Closing waits for the calls under way, so that the
 * next owner never meets a late writer. A call from inside another one is part of it. Thread-safe.
 */
public final class StoreFence {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Duration NOTICE = Duration.ofSeconds(10);

  /** How many calls of this thread are inside each other. */
  private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

  private final AtomicInteger threadsInside = new AtomicInteger();
  private final Threading threading;
  private final ReentrantLock lock;
  private final Condition left;
  private volatile boolean closed;

  public StoreFence(Threading threading) {
    this.threading = threading;
    this.lock = threading.newLock();
    this.left = lock.newCondition();
  }

  /**
   * Makes a call.
   *
   * @throws StoreException.Closed if the store is closed
   */
  public <T> T call(Supplier<T> call) {
    enter();
    try {
      return call.get();
    } finally {
      leave();
    }
  }

  /** As {@link #call}. */
  public void run(Runnable call) {
    enter();
    try {
      call.run();
    } finally {
      leave();
    }
  }

  public boolean isClosed() {
    return closed;
  }

  /** Makes a call that can be left out, unless the store is closed. */
  public void runIfOpen(Runnable call) {
    if (!tryEnter()) {
      return;
    }
    try {
      call.run();
    } finally {
      leave();
    }
  }

  private void enter() {
    if (!tryEnter()) {
      throw new StoreException.Closed();
    }
  }

  private boolean tryEnter() {
    int outer = depth.get();
    if (outer == 0) {
      threadsInside.incrementAndGet(); // first, so that either this or close() sees the other
      if (closed) {
        left();
        return false;
      }
    }
    depth.set(outer + 1);
    return true;
  }

  private void leave() {
    int outer = depth.get() - 1;
    if (outer > 0) {
      depth.set(outer);
    } else {
      depth.remove();
      left();
    }
  }

  private void left() {
    threadsInside.decrementAndGet();
    if (closed) {
      lock.lock();
      try {
        left.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Refuses later calls, and returns when no other thread is inside one. */
  public void close() {
    closed = true;
    int own = depth.get() > 0 ? 1 : 0; // a watcher that closes the store cannot wait for itself
    boolean interrupted = false;
    lock.lock();
    try {
      long noticeAt = threading.nanoTime() + NOTICE.toNanos();
      while (threadsInside.get() > own) {
        try {
          if (!left.await(1, TimeUnit.SECONDS) && threading.nanoTime() > noticeAt) {
            LOG.log(
                Level.WARNING,
                "closing the store waits for calls under way: " + (threadsInside.get() - own));
            noticeAt = threading.nanoTime() + NOTICE.toNanos();
          }
        } catch (InterruptedException e) {
          interrupted = true; // a late writer would be worse than a late end
        }
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
