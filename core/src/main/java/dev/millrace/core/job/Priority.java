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

  /** A job overtakes those one level above it that were submitted this much later. */
  public static final Duration AGEING = Duration.ofMinutes(30);

  /**
   * The job's place in the queue; lower is earlier. Each level below the highest counts as a later
   * submission, so the order is priority first, yet nothing starves, and a job's place never
   * changes: an index over it, in memory or in a database, stays valid.
   */
  public long queueRank(Instant submitted) {
    long micros = submitted.getEpochSecond() * 1_000_000L + submitted.getNano() / 1_000;
    return micros + ordinal() * AGEING.toNanos() / 1_000;
  }
}
