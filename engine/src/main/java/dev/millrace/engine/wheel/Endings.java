package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.SequenceState;
import dev.millrace.engine.wheel.Counters.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Ends sequences: their pages go back, their listeners and submitters learn of it. */
final class Endings {
  private final Admission admission;
  private final Counters counters;
  private final LongSupplier clock;

  Endings(Admission admission, Counters counters, LongSupplier clock) {
    this.admission = admission;
    this.counters = counters;
    this.clock = clock;
  }

  /** Ends those of whom that is wished and who are not away. */
  void grant(List<Sequence> sequences) {
    for (int i = sequences.size() - 1; i >= 0; i--) {
      Sequence sequence = sequences.get(i);
      if (!sequence.away) {
        grant(sequence);
      }
    }
  }

  /** Ends a sequence if that is wished; says whether. */
  boolean grant(Sequence sequence) {
    switch (sequence.generation.wish()) {
      case GO_ON -> {
        return false;
      }
      case RELEASE -> end(sequence, Finish.RELEASED, Condition.PAUSED, "");
      case CANCEL -> end(sequence, Finish.CANCELLED, Condition.CANCELLED, "");
    }
    return true;
  }

  /** Ends all with RELEASED, whatever happens with one of them. */
  void releaseAll(String reason) {
    List<Sequence> all = new ArrayList<>(admission.admitted());
    all.addAll(admission.waiting());
    for (Sequence sequence : all) {
      try {
        end(sequence, Finish.RELEASED, Condition.PAUSED, reason);
      } catch (RuntimeException e) {
        // where a wheel broke, its ledger may have too; the submitters have their results all the
        // same
      }
    }
  }

  /** Ends a sequence on a condition that the table has for where it stands. */
  void end(Sequence sequence, Finish finish, Condition condition, String reason) {
    if (sequence.walk().state() != SequenceState.DONE) {
      sequence.walk().move(condition, reason);
    }
    end(sequence, finish, reason);
  }

  /** Ends a sequence whose walk is over, or never began. */
  void end(Sequence sequence, Finish finish, String reason) {
    try {
      admission.leave(sequence);
    } finally {
      Result result = Results.of(sequence, finish, reason, clock.getAsLong());
      counters.add(Figure.ENDED, 1);
      tell(sequence.listener, result);
      sequence.generation.end(result);
    }
  }

  private static void tell(Listener listener, Result result) {
    try {
      listener.ended(result);
    } catch (Throwable e) {
      // it has ended already, and the others go on
    }
  }
}
