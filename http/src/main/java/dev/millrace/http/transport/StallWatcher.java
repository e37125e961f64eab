package dev.millrace.http.transport;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Looks after all requests that may have to wait for their clients, a few times a second. */
public final class StallWatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final long PERIOD = Duration.ofMillis(200).toNanos();

  private final Set<StallTimer> stalls = ConcurrentHashMap.newKeySet();
  private final LongConsumer also;
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param also is done as often
   */
  public StallWatcher(LongConsumer also) {
    this.also = also;
    thread = Thread.ofPlatform().daemon().name("millrace-http-watch").start(this::watch);
  }

  long now() {
    return System.nanoTime();
  }

  /**
   * @param endReading lets whoever reads what the client sends come to its end; null: an interrupt
   */
  public StallTimer open(@Nullable Runnable endReading) {
    StallTimer stall = new StallTimer(this, endReading);
    stalls.add(stall);
    return stall;
  }

  public void close(StallTimer stall) {
    stalls.remove(stall);
    stall.close();
  }

  private void watch() {
    while (!closed) {
      LockSupport.parkNanos(PERIOD);
      try {
        look(now());
      } catch (Throwable e) { // nobody else would watch
        LOG.log(Level.ERROR, "the watch over requests met with a surprise and goes on", e);
      }
    }
  }

  private void look(long now) {
    stalls.removeIf(stall -> stall.checkDeadline(now));
    also.accept(now);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
