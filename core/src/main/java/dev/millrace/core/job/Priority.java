package dev.millrace.core.job;

import java.time.Duration;
import java.time.Instant;

/** How urgent a job is. Jobs are claimed by priority, then by age. */
public enum Priority {
  VERY_HIGH,
  HIGH,
  MEDIUM,
  LOW,
  VERY_LOW;

  /** A job comes before jobs one level above it that were submitted this much later. */
  public static final Duration AGEING = Duration.ofMinutes(30);

  /**
   * The job's position in the queue; lower is earlier. Each level below the highest counts as a
   * later submission: the order is by priority, but no job starves. The position of a job never
   * changes, so an index over it stays valid.
   */
  public long queueRank(Instant submitted) {
    long micros = submitted.getEpochSecond() * 1_000_000L + submitted.getNano() / 1_000;
    return micros + ordinal() * AGEING.toNanos() / 1_000;
  }
}
