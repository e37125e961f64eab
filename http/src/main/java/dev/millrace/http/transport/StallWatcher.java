package dev.millrace.http.transport;

import dev.millrace.core.internal.thread.MonitoredThreads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Checks all {@link StallTimer}s a few times a second, on one thread. */
public final class StallWatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final long PERIOD = Duration.ofMillis(200).toNanos();

  private final Set<StallTimer> timers = ConcurrentHashMap.newKeySet();
  private final LongConsumer also;
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param also another check to run as often, with the current time
   */
  public StallWatcher(LongConsumer also) {
    this.also = also;
    thread = MonitoredThreads.service("millrace-http-watch").start(this::watch);
  }

  long now() {
    return System.nanoTime();
  }

  /**
   * @param endReading ends the input of the connection; null: interrupt the thread
   */
  public StallTimer open(@Nullable Runnable endReading) {
    StallTimer timer = new StallTimer(this, endReading);
    timers.add(timer);
    return timer;
  }

  public void close(StallTimer timer) {
    timers.remove(timer);
    timer.close();
  }

  private void watch() {
    while (!closed) {
      LockSupport.parkNanos(PERIOD);
      try {
        check(now());
      } catch (Throwable e) { // this thread must not end
        LOG.log(Level.ERROR, "the check for slow clients failed; it continues", e);
      }
    }
  }

  private void check(long now) {
    timers.removeIf(timer -> timer.checkDeadline(now));
    also.accept(now);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
