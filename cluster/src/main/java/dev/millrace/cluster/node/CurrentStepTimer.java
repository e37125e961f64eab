package dev.millrace.cluster.node;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How long the compute thread has worked on its current step; readable by any thread. */
final class CurrentStepTimer {
  /** When it began. */
  private record Begun(long at) {}

  private final LongSupplier clock;
  private volatile @Nullable Begun begun;

  /**
   * @param clock nanoseconds
   */
  CurrentStepTimer(LongSupplier clock) {
    this.clock = clock;
  }

  void begin() {
    begun = new Begun(clock.getAsLong());
  }

  void end() {
    begun = null;
  }

  /** Nanoseconds; 0 if no step runs. Any thread. */
  long elapsedNanos() {
    Begun now = begun;
    return now == null ? 0 : clock.getAsLong() - now.at();
  }
}
