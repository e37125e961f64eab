package dev.millrace.http.live;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that may take long to read: it is read again when it is asked for and old enough, and
 * never takes more than a twentieth of the time. Who asks waits a moment for a new value, and gets
 * the last one if it does not come. Thread-safe.
 */
final class ThrottledValue<T> {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int REST = 20;
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofMillis(50);

  private final String what;
  private final Supplier<T> source;
  private final long minAge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition done = lock.newCondition();
  private T value; // guarded by the lock, as are those below
  private boolean read;
  private boolean reading;
  private long due = System.nanoTime();

  /**
   * @param what it is, for the log
   * @param initial until it is read for the first time
   * @param minAge until it is read again
   */
  ThrottledValue(String what, Supplier<T> source, T initial, Duration minAge) {
    this.what = what;
    this.source = source;
    this.value = initial;
    this.minAge = minAge.toNanos();
  }

  T get() {
    lock.lock();
    try {
      if (!reading && System.nanoTime() - due >= 0) {
        reading = true;
        MonitoredThreads.virtualWork().name("live " + what).start(this::read);
      }
      await(read ? WAIT : FIRST_WAIT);
      return value;
    } finally {
      lock.unlock();
    }
  }

  private void await(Duration atMost) {
    long left = atMost.toNanos();
    try {
      while (reading && left > 0) {
        left = done.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read() {
    long start = System.nanoTime();
    @Nullable T now = null;
    try {
      now = source.get();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, what + " cannot be read now", e); // the store says it itself
    } catch (RuntimeException | Error e) { // shown again when it can be read
      LOG.log(Level.WARNING, what + " cannot be read now", e);
    }
    finish(now, start);
  }

  private void finish(@Nullable T now, long start) {
    lock.lock();
    try {
      long end = System.nanoTime();
      if (now != null) {
        value = now;
        read = true;
      }
      due = end + Math.max(minAge - TimeUnit.MILLISECONDS.toNanos(1), REST * (end - start));
      reading = false;
      done.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
