package dev.millrace.http.live;

import dev.millrace.api.live.LiveRates;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.live.WorkTotals.Totals;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** What is done a second, over the last seconds before it is asked. Thread-safe. */
final class WorkRates {
  /** A little less than the interval of the samples, so that each has an interval of its own. */
  private static final long WINDOW = History.INTERVAL.minusMillis(100).toNanos();

  private static final long MIN_STEP = Duration.ofMillis(100).toNanos();

  private final Supplier<Totals> totals;
  private final ProcessClock clock;
  private final Deque<Mark> marks = new ArrayDeque<>(); // guarded by this

  private record Mark(long nanos, Totals totals) {}

  WorkRates(Supplier<Totals> totals, ProcessClock clock) {
    this.totals = totals;
    this.clock = clock;
    marks.add(new Mark(clock.nanoTime(), totals.get()));
  }

  /** The rates since it was last asked, and at least over the last five seconds. */
  synchronized LiveRates now() {
    Mark now = new Mark(clock.nanoTime(), totals.get());
    while (marks.size() > 1 && now.nanos() - second().nanos() >= WINDOW) {
      marks.removeFirst();
    }
    Mark first = marks.getFirst();
    if (now.nanos() - marks.getLast().nanos() >= MIN_STEP) {
      marks.addLast(now);
    }
    return rates(first, now);
  }

  private Mark second() {
    Mark first = marks.removeFirst();
    Mark second = marks.getFirst();
    marks.addFirst(first);
    return second;
  }

  private static LiveRates rates(Mark from, Mark to) {
    double seconds = Math.max(MIN_STEP, to.nanos() - from.nanos()) / 1e9;
    return new LiveRates(
        perSecond(to.totals().generated() - from.totals().generated(), seconds),
        perSecond(to.totals().prompt() - from.totals().prompt(), seconds),
        perSecond(to.totals().tasks() - from.totals().tasks(), seconds));
  }

  private static double perSecond(long count, double seconds) {
    return oneDigit(count / seconds);
  }

  /** Rounded to a tenth. */
  static double oneDigit(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
