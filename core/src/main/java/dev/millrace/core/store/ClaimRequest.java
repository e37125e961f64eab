package dev.millrace.core.store;

import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker asks for.
 *
 * @param types that it can work on
 * @param limit how many tasks at most
 * @param worker its name, for the log
 * @param lease how long a claim lives without a heartbeat, also through a change of the store's
 *     owner; null: as long as the owner
 * @param bare whether the worker cannot say the token: its answers count without
 */
public record ClaimRequest(
    Set<String> types, int limit, String worker, @Nullable Duration lease, boolean tokenless) {
  public ClaimRequest {
    types = Set.copyOf(types);
    lease = lease == null ? null : lease.truncatedTo(ChronoUnit.MILLIS); // as the log keeps it
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
    this(types, limit, worker, lease, false);
  }
}
