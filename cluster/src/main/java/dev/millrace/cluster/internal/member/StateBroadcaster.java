package dev.millrace.cluster.internal.member;

import dev.millrace.engine.internal.thread.EngineThreads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * The thread that broadcasts this node's state and reports changes of others, so that neither
 * delays JGroups. Several requests within 200 ms are one broadcast; a large state is broadcast less
 * often.
 */
final class StateBroadcaster implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long MIN_PAUSE = Duration.ofMillis(200).toNanos();
  private static final long BYTES_PER_SECOND = 256 << 10;

  private final Duration repeat;
  private final IntSupplier broadcast;
  private final Runnable changed;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();

  /** When the last broadcast was, and the pause after it. */
  private long lastBroadcast;

  private long pause = MIN_PAUSE;
  private boolean broadcastDue = true;
  private boolean changedDue = true;
  private boolean closed;

  /**
   * @param repeat a broadcast follows after this long even without a change
   * @param broadcast broadcasts, and returns the number of bytes
   */
  StateBroadcaster(String name, Duration repeat, IntSupplier broadcast, Runnable changed) {
    this.repeat = repeat;
    this.broadcast = broadcast;
    this.changed = changed;
    this.thread = EngineThreads.service("millrace-member-teller-" + name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void requestBroadcast() {
    request(true, false);
  }

  void requestChangeCallback() {
    request(false, true);
  }

  /** Starts nothing more. */
  void stop() {
    lock.lock();
    try {
      closed = true;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Stops, and waits for what has started. */
  @Override
  public void close() {
    stop();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void request(boolean broadcastNow, boolean reportNow) {
    lock.lock();
    try {
      broadcastDue |= broadcastNow;
      changedDue |= reportNow;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    lastBroadcast = System.nanoTime() - MIN_PAUSE;
    try {
      while (true) {
        boolean broadcastNow;
        boolean reportNow;
        lock.lockInterruptibly();
        try {
          await();
          if (closed) {
            return;
          }
          broadcastNow = untilBroadcast() <= 0;
          reportNow = changedDue;
          broadcastDue &= !broadcastNow;
          changedDue = false;
        } finally {
          lock.unlock();
        }
        if (broadcastNow) {
          attempt(this::broadcastState);
        }
        if (reportNow) {
          attempt(changed);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until there is something to do. */
  private void await() throws InterruptedException {
    while (!closed && !changedDue && untilBroadcast() > 0) {
      news.awaitNanos(untilBroadcast());
    }
  }

  /** Nanoseconds until the next broadcast is due. */
  private long untilBroadcast() {
    return (broadcastDue ? pause : Math.max(pause, repeat.toNanos()))
        - (System.nanoTime() - lastBroadcast);
  }

  private void broadcastState() {
    lastBroadcast = System.nanoTime();
    long bytes = broadcast.getAsInt();
    pause = Math.max(MIN_PAUSE, Duration.ofSeconds(1).toNanos() * bytes / BYTES_PER_SECOND);
  }

  private static void attempt(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) { // the thread must go on
      LOG.log(Level.WARNING, "a change of members could not be handled", e);
    }
  }
}
