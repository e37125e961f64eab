package dev.millrace.engine.wheel;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Figures of a wheel, or of the line: written by one thread without a lock, read by any. */
final class Counters {
  enum Figure {
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

  private final AtomicLongArray figures = new AtomicLongArray(Figure.values().length);

  void add(Figure figure, long by) {
    int at = figure.ordinal();
    figures.setOpaque(at, figures.getPlain(at) + by);
  }

  void set(Figure figure, long to) {
    figures.setOpaque(figure.ordinal(), to);
  }

  /** All of them together. */
  static WheelStats sum(List<Counters> all) {
    return new WheelStats(
        sum(all, Figure.TURNS),
        sum(all, Figure.PREFILL_TOKENS),
        sum(all, Figure.DECODE_TOKENS),
        sum(all, Figure.CHOSEN_TOKENS),
        sum(all, Figure.PREEMPTIONS),
        sum(all, Figure.PREFIX_HITS),
        sum(all, Figure.REUSED_TOKENS),
        sum(all, Figure.ENDED),
        (int) sum(all, Figure.WAITING),
        (int) sum(all, Figure.ADMITTED),
        (int) sum(all, Figure.PAGES_USED),
        (int) sum(all, Figure.PAGES_CACHED),
        (int) sum(all, Figure.PAGES_FREE));
  }

  private static long sum(List<Counters> all, Figure figure) {
    long sum = 0;
    for (Counters counters : all) {
      sum += counters.figures.getOpaque(figure.ordinal());
    }
    return sum;
  }
}
