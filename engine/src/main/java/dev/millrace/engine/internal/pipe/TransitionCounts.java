package dev.millrace.engine.internal.pipe;

import java.util.concurrent.atomic.AtomicLongArray;

/** How often each move of the table was made. One thread counts, any may read. */
public final class TransitionCounts {
  private final AtomicLongArray counts =
      new AtomicLongArray(SequenceState.values().length * SequenceCondition.values().length);

  void increment(SequenceState from, SequenceCondition condition) {
    int place = PipeTransitionTable.place(from, condition);
    counts.setPlain(place, counts.getPlain(place) + 1);
  }

  public long of(SequenceState from, SequenceCondition condition) {
    return counts.getOpaque(PipeTransitionTable.place(from, condition));
  }
}
