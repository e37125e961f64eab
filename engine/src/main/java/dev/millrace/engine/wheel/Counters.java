package dev.millrace.engine.wheel;

import java.util.concurrent.atomic.AtomicLongArray;

/** The wheel's figures: written by its thread without a lock or an allocation, read by any. */
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

  WheelStats snapshot() {
    return new WheelStats(
        get(Figure.TURNS),
        get(Figure.PREFILL_TOKENS),
        get(Figure.DECODE_TOKENS),
        get(Figure.CHOSEN_TOKENS),
        get(Figure.PREEMPTIONS),
        get(Figure.PREFIX_HITS),
        get(Figure.REUSED_TOKENS),
        get(Figure.ENDED),
        (int) get(Figure.WAITING),
        (int) get(Figure.ADMITTED),
        (int) get(Figure.PAGES_USED),
        (int) get(Figure.PAGES_CACHED),
        (int) get(Figure.PAGES_FREE));
  }

  private long get(Figure figure) {
    return figures.getOpaque(figure.ordinal());
  }
}
