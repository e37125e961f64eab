package dev.millrace.http.monitoring;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Lets one line into the log in a minute, for what may fail a thousand times. Thread-safe. */
public final class LogThrottle {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private long next; // guarded by this, as is the next one
  private boolean used;

  public LogThrottle(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether a line may be logged now; then none may for a minute. */
  public synchronized boolean tryLog() {
    long now = nanoTime.getAsLong();
    if (used && now - next < 0) {
      return false;
    }
    used = true;
    next = now + INTERVAL.toNanos();
    return true;
  }
}
