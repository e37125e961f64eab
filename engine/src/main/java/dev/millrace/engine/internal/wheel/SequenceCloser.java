package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.GenerationHandle.StopRequest;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Ends sequences: their pages go back, their listeners and submitters learn of it. */
final class SequenceCloser {
  private final WaitQueue line;
  private final AuditTracker examination;
  private final WheelCounters counters;
  private final LongSupplier clock;

  /**
   * @param counters of those that end in no pipe
   */
  SequenceCloser(
      WaitQueue line, AuditTracker examination, WheelCounters counters, LongSupplier clock) {
    this.line = line;
    this.examination = examination;
    this.counters = counters;
    this.clock = clock;
  }

  /** Ends those of whom that is wished and who are not away. */
  void endIfRequested(List<Sequence> sequences) {
    for (int i = sequences.size() - 1; i >= 0; i--) {
      Sequence sequence = sequences.get(i);
      if (!sequence.inFlight) {
        endIfRequested(sequence);
      }
    }
  }

  /** Ends a sequence if that is wished, or if its tokens are not trusted; says whether. */
  boolean endIfRequested(Sequence sequence) {
    StopRequest wish = sequence.generation.stopRequest();
    String revoked = sequence.revoked;
    if (wish == StopRequest.CANCEL) {
      end(sequence, FinishReason.CANCELLED, SequenceCondition.CANCELLED, "");
    } else if (revoked != null) {
      end(sequence, FinishReason.REVOKED, SequenceCondition.STEP_FAILED, revoked);
    } else if (wish == StopRequest.RELEASE) {
      end(sequence, FinishReason.RELEASED, SequenceCondition.PAUSED, "");
    } else {
      return false;
    }
    return true;
  }

  /** Ends all with RELEASED, whatever happens with one of them. */
  void releaseAll(List<Sequence> sequences, String reason) {
    for (Sequence sequence : new ArrayList<>(sequences)) {
      try {
        end(sequence, FinishReason.RELEASED, SequenceCondition.PAUSED, reason);
      } catch (RuntimeException e) {
        // where a wheel broke, its ledger may have too; the submitters have their results all the
        // same
      }
    }
  }

  /** A sequence has all its tokens: it ends, or waits for its examiner's verdict. */
  void complete(Sequence sequence, FinishReason finish) {
    sequence.step().move(SequenceCondition.SEQUENCE_COMPLETE);
    PipeAdmission place = sequence.admission;
    if (sequence.audited && place != null) {
      int positions = sequence.computed();
      place.releasePages(sequence);
      examination.holdForVerdict(sequence, place, positions, finish, this::end);
    } else {
      end(sequence, finish, "");
    }
  }

  /** Ends a sequence on a condition that the table has for where it stands. */
  void end(Sequence sequence, FinishReason finish, SequenceCondition condition, String reason) {
    if (sequence.step().state() != SequenceState.DONE) {
      sequence.step().move(condition, reason);
    }
    end(sequence, finish, reason);
  }

  /** Ends a sequence whose walk is over, or never began. */
  void end(Sequence sequence, FinishReason finish, String reason) {
    PipeAdmission place = sequence.admission;
    try {
      if (place != null) {
        place.remove(sequence);
      } else if (!examination.stopWaiting(sequence)) {
        line.remove(sequence);
      }
    } finally {
      GenerationResult result = ResultBuilder.of(sequence, finish, reason, clock.getAsLong());
      (place == null ? counters : place.counters()).add(Counter.ENDED, 1);
      tell(sequence.listener, result);
      sequence.generation.end(result);
    }
  }

  private static void tell(GenerationListener listener, GenerationResult result) {
    try {
      listener.ended(result);
    } catch (Throwable e) {
      // it has ended already, and the others go on
    }
  }
}
