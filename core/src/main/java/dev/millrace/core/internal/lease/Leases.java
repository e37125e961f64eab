package dev.millrace.core.internal.lease;

import dev.millrace.core.job.JobId;
import dev.millrace.core.task.ClaimKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * How long claims live without a heartbeat. All times are steady: setting the wall clock neither
 * ends a lease nor prolongs it. Thread-safe.
 */
public interface Leases {
  /** Grants a lease to a claim that is in the log, before its worker knows of it. */
  void grant(JobClaimKey claim, Duration length, Instant now);

  /** Grants it unless there is one: the job was read again. */
  void restore(JobClaimKey claim, Duration length, Instant now);

  /** Starts it again, if there is one. */
  void renew(JobClaimKey claim, Instant now);

  void end(JobClaimKey claim);

  /** Ends a lease that is over; false if it still lasts. */
  boolean endIfOver(JobClaimKey claim, Instant now);

  boolean isOver(JobClaimKey claim, Instant now);

  /** Claims whose lease is over, by job. */
  Map<JobId, Set<ClaimKey>> expired(Instant now);
}
