package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker's request for tasks.
 *
 * @param types the task types that it can process
 * @param limit the most tasks it takes
 * @param worker its name, for the log
 * @param lease how long a claim lives without a heartbeat, also when the store changes its owner;
 *     null: as long as the owner lives
 * @param tokenless whether the worker cannot send the token; its answers count without it
 * @param job the only job that it takes tasks of, whatever its place in the queue; null: any
 */
public record ClaimRequest(
    Set<String> types,
    int limit,
    String worker,
    @Nullable Duration lease,
    boolean tokenless,
    @Nullable JobId job) {
  public ClaimRequest {
    types = Set.copyOf(types);
    lease = lease == null ? null : lease.truncatedTo(ChronoUnit.MILLIS); // the precision of the log
    if (tokenless && lease == null) {
      throw new IllegalArgumentException("a claim without a token needs a lease");
    }
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, got " + limit);
    }
    if (lease != null && (lease.isNegative() || lease.isZero())) {
      throw new IllegalArgumentException("lease must be at least a millisecond, got " + lease);
    }
    if (lease != null && lease.compareTo(TaskPolicy.LONGEST) > 0) {
      throw new IllegalArgumentException(
          "lease must be at most " + TaskPolicy.LONGEST.toDays() + " days, got " + lease);
    }
  }

  public ClaimRequest(Set<String> types, int limit, String worker, @Nullable Duration lease) {
    this(types, limit, worker, lease, false, null);
  }

  public ClaimRequest(
      Set<String> types, int limit, String worker, @Nullable Duration lease, boolean tokenless) {
    this(types, limit, worker, lease, tokenless, null);
  }

  /** The same for tasks of one job. */
  public ClaimRequest ofJob(JobId only) {
    return new ClaimRequest(types, limit, worker, lease, tokenless, only);
  }
}
