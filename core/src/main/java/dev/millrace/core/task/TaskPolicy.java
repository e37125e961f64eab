package dev.millrace.core.task;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of each task in a stage.
 *
 * @param maxAttempts how many failures end a task, from 1
 * @param backoff the wait between attempts
 * @param queueTimeout how long a task may wait while it can be claimed; null: no limit
 * @param runTimeout how long one attempt may run; null: no limit
 * @param recoveryCeiling how many crash recoveries in a row without progress a task survives
 */
public record TaskPolicy(
    int maxAttempts,
    Backoff backoff,
    @Nullable Duration queueTimeout,
    @Nullable Duration runTimeout,
    int recoveryCeiling) {

  /** The most failures that end a task, and the most crash recoveries in a row. */
  public static final int MAX_ATTEMPTS = 1_000;

  /** The longest wait or limit. */
  public static final Duration LONGEST = Backoff.LIMIT;

  public static final TaskPolicy DEFAULT = new TaskPolicy(1, Backoff.DEFAULT, null, null, 3);

  public TaskPolicy {
    requireAttempts(maxAttempts);
    if (recoveryCeiling < 0 || recoveryCeiling > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "recoveryCeiling must be 0 to " + MAX_ATTEMPTS + ", got " + recoveryCeiling);
    }
    positive("queueTimeout", queueTimeout);
    positive("runTimeout", runTimeout);
  }

  public static int requireAttempts(int maxAttempts) {
    if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "maxAttempts must be 1 to " + MAX_ATTEMPTS + ", got " + maxAttempts);
    }
    return maxAttempts;
  }

  public boolean hasTimeouts() {
    return queueTimeout != null || runTimeout != null;
  }

  private static void positive(String name, @Nullable Duration duration) {
    if (duration != null && (duration.isNegative() || duration.isZero())) {
      throw new IllegalArgumentException(name + " must be longer than 0, got " + duration);
    }
    if (duration != null && duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be at most " + LONGEST.toDays() + " days, got " + duration);
    }
  }
}
