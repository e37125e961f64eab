package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.time.ProcessClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The clock of the database, so that servers agree whatever their own clocks say. It is asked at
 * intervals; in between, and while the database does not answer, the machine's monotonic time moves
 * it. Monotonic time here follows small differences, too: without that, servers that measure leases
 * for each other would drift apart over weeks. Thread-safe.
 */
public final class DatabaseClock extends ProcessClock {
  /** A larger difference is a clock that was set: only wall time follows it. */
  private static final Duration DRIFT = Duration.ofMillis(500);

  /** What each sample may add to monotonic time or take from it. */
  private static final long MOST_CORRECTION_NANOS = 1_000_000;

  /**
   * @param wall the time of the database at {@code machineNanos}
   * @param correction what is added to the machine's monotonic time
   */
  private record Sample(Instant wall, long machineNanos, long correction) {}

  private volatile Sample last;

  private DatabaseClock(Sample first) {
    this.last = first;
  }

  /** Asks the database for its time. */
  public static DatabaseClock of(Database database) {
    return new DatabaseClock(ask(database, 0));
  }

  private static Sample ask(Database database, long correction) {
    long before = System.nanoTime();
    Instant wall =
        database
            .first("SELECT clock_timestamp() AS now", row -> Times.read(row, "now"))
            .orElseThrow();
    long after = System.nanoTime();
    return new Sample(wall, before + (after - before) / 2, correction);
  }

  /** Asks again, and follows. */
  public synchronized void follow(Database database) {
    Sample now = ask(database, last.correction);
    Instant expected = last.wall.plusNanos(now.machineNanos - last.machineNanos);
    Duration ahead = Duration.between(expected, now.wall);
    long correction =
        ahead.abs().compareTo(DRIFT) > 0
            ? 0
            : Math.clamp(ahead.toNanos(), -MOST_CORRECTION_NANOS, MOST_CORRECTION_NANOS);
    last = new Sample(now.wall, now.machineNanos, last.correction + correction);
  }

  @Override
  public Instant instant() {
    Sample sample = last;
    return sample.wall.plusNanos(System.nanoTime() - sample.machineNanos);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime() + last.correction;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this; // its users ask for instants
  }
}
