package dev.millrace.cluster.internal.member;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * The one thread that tells others of this node, and the node's owner of others: so that neither
 * holds up JGroups. What is asked for several times within 200 ms is told once; who has much to
 * tell does so less often.
 */
final class StateBroadcaster implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long PACE = Duration.ofMillis(200).toNanos();
  private static final long BYTES_PER_SECOND = 256 << 10;

  private final Duration repeat;
  private final IntSupplier tell;
  private final Runnable changed;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();

  /** When others were told, and how long they are left alone since. */
  private long toldAt;

  private long pace = PACE;
  private boolean tellDue = true;
  private boolean changedDue = true;
  private boolean closed;

  /**
   * @param repeat others are told again after so long even where nothing changed
   * @param tell gives how many bytes it told
   */
  StateBroadcaster(String name, Duration repeat, IntSupplier tell, Runnable changed) {
    this.repeat = repeat;
    this.tell = tell;
    this.changed = changed;
    this.thread =
        Thread.ofPlatform().daemon().name("millrace-member-teller-" + name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void requestBroadcast() {
    ask(true, false);
  }

  void requestChangeCallback() {
    ask(false, true);
  }

  /** Begins nothing more. */
  void stop() {
    lock.lock();
    try {
      closed = true;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Ends, and waits for what was begun. */
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

  private void ask(boolean tells, boolean changes) {
    lock.lock();
    try {
      tellDue |= tells;
      changedDue |= changes;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    toldAt = System.nanoTime() - PACE;
    try {
      while (true) {
        boolean tells;
        boolean changes;
        lock.lockInterruptibly();
        try {
          await();
          if (closed) {
            return;
          }
          tells = left() <= 0;
          changes = changedDue;
          tellDue &= !tells;
          changedDue = false;
        } finally {
          lock.unlock();
        }
        if (tells) {
          attempt(this::tellNow);
        }
        if (changes) {
          attempt(changed);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until there is something to do. */
  private void await() throws InterruptedException {
    while (!closed && !changedDue && left() > 0) {
      news.awaitNanos(left());
    }
  }

  /** Until others are to be told. */
  private long left() {
    return (tellDue ? pace : Math.max(pace, repeat.toNanos())) - (System.nanoTime() - toldAt);
  }

  private void tellNow() {
    toldAt = System.nanoTime();
    long bytes = tell.getAsInt();
    pace = Math.max(PACE, Duration.ofSeconds(1).toNanos() * bytes / BYTES_PER_SECOND);
  }

  private static void attempt(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "what members told could not be used", e);
    }
  }
}
