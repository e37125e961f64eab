package dev.millrace.cli.read;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How long a command may wait; without a limit, for ever. */
final class WaitLimit {
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private final @Nullable Duration limit;
  private final LongSupplier clock;
  private final long start;

  private WaitLimit(@Nullable Duration limit, LongSupplier clock) {
    this.limit = limit;
    this.clock = clock;
    this.start = clock.getAsLong();
  }

  /** A limit from now on; null: none. */
  static WaitLimit of(@Nullable Duration limit) {
    return of(limit, System::nanoTime);
  }

  /**
   * @param clock nanoseconds
   */
  static WaitLimit of(@Nullable Duration limit, LongSupplier clock) {
    return new WaitLimit(limit, clock);
  }

  boolean isReached() {
    return left().isZero();
  }

  /** What is left of the time, but at most {@code most}. */
  Duration atMost(Duration most) {
    Duration left = left();
    return left.compareTo(most) < 0 ? left : most;
  }

  private Duration left() {
    if (limit == null) {
      return FOR_EVER;
    }
    Duration left = limit.minusNanos(clock.getAsLong() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
