package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.WheelStats;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of a wheel or of the queue: written by one thread without a lock, read by any. */
final class WheelCounters {
  enum Counter {
    TURNS,
    PREFILL_TOKENS,
    DECODE_TOKENS,
    CHOSEN_TOKENS,
    PREEMPTIONS,
    PREFIX_HITS,
    REUSED_TOKENS,
    ENDED,
    WAITING,
    ADMITTED,
    PAGES_USED,
    PAGES_CACHED,
    PAGES_FREE
  }

  private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);

  void add(Counter counter, long by) {
    int at = counter.ordinal();
    values.setOpaque(at, values.getPlain(at) + by);
  }

  void set(Counter counter, long to) {
    values.setOpaque(counter.ordinal(), to);
  }

  /** The sum of all. */
  static WheelStats sum(List<WheelCounters> all) {
    return new WheelStats(
        sum(all, Counter.TURNS),
        sum(all, Counter.PREFILL_TOKENS),
        sum(all, Counter.DECODE_TOKENS),
        sum(all, Counter.CHOSEN_TOKENS),
        sum(all, Counter.PREEMPTIONS),
        sum(all, Counter.PREFIX_HITS),
        sum(all, Counter.REUSED_TOKENS),
        sum(all, Counter.ENDED),
        (int) sum(all, Counter.WAITING),
        (int) sum(all, Counter.ADMITTED),
        (int) sum(all, Counter.PAGES_USED),
        (int) sum(all, Counter.PAGES_CACHED),
        (int) sum(all, Counter.PAGES_FREE));
  }

  private static long sum(List<WheelCounters> all, Counter counter) {
    long sum = 0;
    for (WheelCounters counters : all) {
      sum += counters.values.getOpaque(counter.ordinal());
    }
    return sum;
  }
}
