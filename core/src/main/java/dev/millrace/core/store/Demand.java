package dev.millrace.core.store;

import dev.millrace.core.task.TaskPolicy;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker asks for.
 *
 * @param types that it can work on
 * @param limit how many tasks at most
 * @param worker its name, for the log
 * @param lease how long a claim lives without a heartbeat; null: as long as the store's owner
 */
public record Demand(Set<String> types, int limit, String worker, @Nullable Duration lease) {
  public Demand {
    types = Set.copyOf(types);
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, got " + limit);
    }
    if (lease != null && (lease.isNegative() || lease.isZero())) {
      throw new IllegalArgumentException("lease must be longer than 0, got " + lease);
    }
    if (lease != null && lease.compareTo(TaskPolicy.LONGEST) > 0) {
      throw new IllegalArgumentException(
          "lease must be at most " + TaskPolicy.LONGEST.toDays() + " days, got " + lease);
    }
  }
}
