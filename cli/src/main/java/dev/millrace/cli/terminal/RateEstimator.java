package dev.millrace.cli.terminal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how fast a count grows, from its recent samples; if it grows slowly, from the last few
 * times that it grew. Times are nanoseconds and do not go backwards.
 */
public final class RateEstimator {
  private static final double SECOND = 1e9;

  private record Sample(long time, long count) {}

  private final Deque<Sample> growth = new ArrayDeque<>();
  private final long window;
  private final int few;
  private long now;

  /** Over the last half minute. */
  public RateEstimator() {
    this(Duration.ofSeconds(30), 10);
  }

  public RateEstimator(Duration window, int few) {
    this.window = window.toNanos();
    this.few = few;
  }

  /** Records the count at a time. */
  public void sample(long time, long count) {
    now = time;
    if (growth.isEmpty() || growth.getLast().count() != count) {
      growth.addLast(new Sample(time, count));
    }
    while (growth.size() > few && time - growth.getFirst().time() > window) {
      growth.removeFirst();
    }
  }

  /** Growth per second; 0 while none was seen. */
  public double perSecond() {
    if (growth.size() < 2 || now - growth.getFirst().time() <= 0) {
      return 0;
    }
    Sample first = growth.getFirst();
    return (growth.getLast().count() - first.count()) * SECOND / (now - first.time());
  }

  /** How long {@code left} more will take; null if unknown. */
  public @Nullable Duration timeFor(long left) {
    double speed = perSecond();
    return speed <= 0 ? null : Duration.ofMillis((long) Math.min(1e15, 1_000 * left / speed));
  }
}
