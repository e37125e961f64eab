package dev.millrace.engine.internal.pipe;

import java.util.concurrent.atomic.AtomicLongArray;

/** How often each transition of the table was made. One thread counts, any may read. */
public final class TransitionCounts {
  private final AtomicLongArray counts =
      new AtomicLongArray(SequenceState.values().length * SequenceCondition.values().length);

  void increment(SequenceState from, SequenceCondition condition) {
    int index = PipeTransitionTable.index(from, condition);
    counts.setPlain(index, counts.getPlain(index) + 1);
  }

  public long of(SequenceState from, SequenceCondition condition) {
    return counts.getOpaque(PipeTransitionTable.index(from, condition));
  }
}
