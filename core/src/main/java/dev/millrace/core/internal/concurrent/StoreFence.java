package dev.millrace.core.internal.concurrent;

import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets calls into a store until it is closed. Closing waits for the calls under way, so that the
 * next owner never meets a late writer. A call from inside another one is part of it, unless its
 * thread itself closes the store, as a watcher may: such a thread is not waited for, and may write
 * no more. Thread-safe.
 */
public final class StoreFence {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Duration NOTICE = Duration.ofSeconds(10);

  /** What a thread does that is inside a call. */
  private static final class ThreadInside {
    int depth; // how many calls are inside each other
    boolean closes;
  }

  private final ThreadLocal<ThreadInside> inside = new ThreadLocal<>();
  private final AtomicInteger threadsInside = new AtomicInteger();
  private final AtomicInteger closersInside = new AtomicInteger(); // of these
  private final Threading threading;
  private final ReentrantLock lock;
  private final Condition left;
  private final StoreFailures failures;
  private volatile boolean closed;

  public StoreFence(Threading threading) {
    this.threading = threading;
    this.lock = threading.newLock();
    this.left = lock.newCondition();
    this.failures = new StoreFailures(threading);
  }

  /** The calls that failed. */
  public StoreFailures failures() {
    return failures;
  }

  /**
   * Makes a call.
   *
   * @throws StoreException.Closed if the store is closed
   */
  public <T> T call(Supplier<T> call) {
    enter();
    int ends = failures.ends();
    try {
      return call.get();
    } catch (StoreException e) {
      count(e, ends);
      throw e;
    } finally {
      leave();
    }
  }

  /** As {@link #call}. */
  public void run(Runnable call) {
    enter();
    int ends = failures.ends();
    try {
      call.run();
    } catch (StoreException e) {
      count(e, ends);
      throw e;
    } finally {
      leave();
    }
  }

  /** A call inside another one may be repeated by it, and its failure is no failure then. */
  private void count(StoreException e, int endsBefore) {
    if (Objects.requireNonNull(inside.get()).depth == 1) {
      failures.count(e, endsBefore);
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
    ThreadInside own = inside.get();
    if (own == null) {
      threadsInside.incrementAndGet(); // first, so that either this or close() sees the other
      if (closed) {
        left();
        return false;
      }
      own = new ThreadInside();
      inside.set(own);
    } else if (own.closes) {
      return false;
    }
    own.depth++;
    return true;
  }

  /**
   * Refuses to write in a call whose thread has closed the store in the meantime.
   *
   * @throws StoreException.Closed if it has
   */
  public void requireNotClosedByCaller() {
    ThreadInside own = inside.get();
    if (own != null && own.closes) {
      throw new StoreException.Closed();
    }
  }

  private void leave() {
    ThreadInside own = Objects.requireNonNull(inside.get());
    if (--own.depth == 0) {
      inside.remove();
      if (own.closes) {
        closersInside.decrementAndGet(); // first: nobody may seem to be a closer who is none
      }
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

  /** Refuses later calls, and returns when no thread is inside one that does not close, too. */
  public void close() {
    closed = true;
    boolean interrupted = false;
    lock.lock();
    try {
      ThreadInside own = inside.get();
      if (own != null && !own.closes) {
        own.closes = true;
        closersInside.incrementAndGet();
        left.signalAll(); // another closer no longer waits for this one
      }
      long noticeAt = threading.nanoTime() + NOTICE.toNanos();
      for (int writers = writers(); writers > 0; writers = writers()) {
        try {
          if (!left.await(1, TimeUnit.SECONDS) && threading.nanoTime() > noticeAt) {
            LOG.log(Level.WARNING, "closing the store waits for calls under way: " + writers);
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

  /** How many threads are inside that may still write. */
  private int writers() {
    return threadsInside.get() - closersInside.get();
  }
}
