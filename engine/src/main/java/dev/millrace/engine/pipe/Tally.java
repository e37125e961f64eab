package dev.millrace.engine.pipe;

import java.util.concurrent.atomic.AtomicLongArray;

/** How often each move of the table was made. One thread counts, any may read. */
public final class Tally {
  private final AtomicLongArray counts =
      new AtomicLongArray(SequenceState.values().length * Condition.values().length);

  void count(SequenceState from, Condition condition) {
    int place = PipeTable.place(from, condition);
    counts.setPlain(place, counts.getPlain(place) + 1);
  }

  public long of(SequenceState from, Condition condition) {
    return counts.getOpaque(PipeTable.place(from, condition));
  }
}
