package dev.millrace.core.task;

import java.time.Duration;

/**
 * How long a failed task waits: {@code base * factor^(attempt - 1)}, at most {@code max}, jittered.
 */
public record Backoff(Duration base, double factor, Duration max, double jitter) {

  /** Longer waits would overflow sums of times and block every claim. */
  static final Duration LIMIT = Duration.ofDays(3_650);

  public static final Backoff DEFAULT =
      new Backoff(Duration.ofSeconds(1), 2.0, Duration.ofMinutes(5), 0.25);

  /** No wait: the next attempt may start at once. */
  public static final Backoff NONE = new Backoff(Duration.ZERO, 1.0, Duration.ZERO, 0.0);

  public Backoff {
    if (base.isNegative() || max.compareTo(base) < 0) {
      throw new IllegalArgumentException("backoff: 0 <= base <= max, got " + base + " and " + max);
    }
    if (max.compareTo(LIMIT) > 0) {
      throw new IllegalArgumentException(
          "backoff: max must be at most " + LIMIT.toDays() + " days, got " + max);
    }
    if (!(factor >= 1.0 && factor <= 100.0)) {
      throw new IllegalArgumentException("backoff: factor must be 1 to 100, got " + factor);
    }
    if (!(jitter >= 0.0 && jitter <= 1.0)) {
      throw new IllegalArgumentException("backoff: jitter must be 0 to 1, got " + jitter);
    }
  }

  /** The default with another first wait; {@link #NONE} if that is zero. */
  public static Backoff startingAt(Duration base) {
    return base.isZero()
        ? NONE
        : new Backoff(
            base,
            DEFAULT.factor,
            base.compareTo(DEFAULT.max) > 0 ? base : DEFAULT.max,
            DEFAULT.jitter);
  }

  /**
   * The wait after failure number {@code attempt} (from 1).
   *
   * @param random uniform in [0, 1): where in the band of {@code ±jitter} the wait falls
   */
  public Duration delay(int attempt, double random) {
    double full = base.toMillis() * Math.pow(factor, Math.max(0, attempt - 1));
    double capped = Math.min(full, max.toMillis());
    return Duration.ofMillis(Math.round(capped * (1.0 + jitter * (2.0 * random - 1.0))));
  }

  /** The longest wait that {@link #delay} can return. */
  public Duration longest() {
    return Duration.ofMillis(Math.round(max.toMillis() * (1.0 + jitter)));
  }
}
