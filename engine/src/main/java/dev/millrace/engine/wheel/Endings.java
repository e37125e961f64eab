package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.SequenceState;
import dev.millrace.engine.wheel.Counters.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Ends sequences: their pages go back, their listeners and submitters learn of it. */
final class Endings {
  private final Line line;
  private final Examination examination;
  private final Counters counters;
  private final LongSupplier clock;

  /**
   * @param counters of those that end in no pipe
   */
  Endings(Line line, Examination examination, Counters counters, LongSupplier clock) {
    this.line = line;
    this.examination = examination;
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

  /** Ends a sequence if that is wished, or if its tokens are not trusted; says whether. */
  boolean grant(Sequence sequence) {
    Generation.Wish wish = sequence.generation.wish();
    String revoked = sequence.revoked;
    if (wish == Generation.Wish.CANCEL) {
      end(sequence, Finish.CANCELLED, Condition.CANCELLED, "");
    } else if (revoked != null) {
      end(sequence, Finish.REVOKED, Condition.STEP_FAILED, revoked);
    } else if (wish == Generation.Wish.RELEASE) {
      end(sequence, Finish.RELEASED, Condition.PAUSED, "");
    } else {
      return false;
    }
    return true;
  }

  /** Ends all with RELEASED, whatever happens with one of them. */
  void releaseAll(List<Sequence> sequences, String reason) {
    for (Sequence sequence : new ArrayList<>(sequences)) {
      try {
        end(sequence, Finish.RELEASED, Condition.PAUSED, reason);
      } catch (RuntimeException e) {
        // where a wheel broke, its ledger may have too; the submitters have their results all the
        // same
      }
    }
  }

  /** A sequence has all its tokens: it ends, or waits for its examiner's verdict. */
  void complete(Sequence sequence, Finish finish) {
    sequence.walk().move(Condition.SEQUENCE_COMPLETE);
    Admission place = sequence.place;
    if (sequence.examined && place != null) {
      int positions = sequence.computed();
      place.vacate(sequence);
      examination.hold(sequence, place, positions, finish, this::end);
    } else {
      end(sequence, finish, "");
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
    Admission place = sequence.place;
    try {
      if (place != null) {
        place.leave(sequence);
      } else if (!examination.letGo(sequence)) {
        line.remove(sequence);
      }
    } finally {
      Result result = Results.of(sequence, finish, reason, clock.getAsLong());
      (place == null ? counters : place.counters()).add(Figure.ENDED, 1);
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
