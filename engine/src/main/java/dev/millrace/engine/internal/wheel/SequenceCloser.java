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

/** Ends sequences: frees their pages and notifies their listeners and submitters. */
final class SequenceCloser {
  private final WaitQueue queue;
  private final AuditTracker auditTracker;
  private final WheelCounters counters;
  private final LongSupplier clock;

  /** @param counters for sequences that end outside of a pipe */
  SequenceCloser(
      WaitQueue queue, AuditTracker auditTracker, WheelCounters counters, LongSupplier clock) {
    this.queue = queue;
    this.auditTracker = auditTracker;
    this.counters = counters;
    this.clock = clock;
  }

  /** Ends those with a stop request that are not in flight; the others send no further chunks. */
  void endIfRequested(List<Sequence> sequences) {
    for (int i = sequences.size() - 1; i >= 0; i--) {
      Sequence sequence = sequences.get(i);
      if (!sequence.inFlight.isAny()) {
        endIfRequested(sequence);
      } else if (isRequested(sequence)) {
        sequence.inFlight.drain();
      }
    }
  }

  private static boolean isRequested(Sequence sequence) {
    return sequence.revoked != null || sequence.generation.stopRequest() != StopRequest.NONE;
  }

  /**
   * Ends a sequence if a stop is requested, or if its tokens are not trusted; returns whether it
   * did.
   */
  boolean endIfRequested(Sequence sequence) {
    StopRequest stop = sequence.generation.stopRequest();
    String revoked = sequence.revoked;
    if (stop == StopRequest.CANCEL) {
      end(sequence, FinishReason.CANCELLED, SequenceCondition.CANCELLED, "");
    } else if (revoked != null) {
      end(sequence, FinishReason.REVOKED, SequenceCondition.STEP_FAILED, revoked);
    } else if (stop == StopRequest.RELEASE) {
      end(sequence, FinishReason.RELEASED, SequenceCondition.PAUSED, "");
    } else {
      return false;
    }
    return true;
  }

  /** Ends all with RELEASED, even if one of them fails. */
  void releaseAll(List<Sequence> sequences, String reason) {
    for (Sequence sequence : new ArrayList<>(sequences)) {
      try {
        end(sequence, FinishReason.RELEASED, SequenceCondition.PAUSED, reason);
      } catch (RuntimeException e) {
        // after a failure the page allocator may be broken too; the submitters still get their
        // results
      }
    }
  }

  /** A sequence has all its tokens: it ends, or waits for the verdict of its audit. */
  void complete(Sequence sequence, FinishReason finish) {
    sequence.step().move(SequenceCondition.SEQUENCE_COMPLETE);
    PipeAdmission admission = sequence.admission;
    if (sequence.audited && admission != null) {
      int positions = sequence.computed();
      admission.releasePages(sequence);
      auditTracker.holdForVerdict(sequence, admission, positions, finish, this::end);
    } else {
      end(sequence, finish, "");
    }
  }

  /** Ends a sequence on a condition of the transition table. */
  void end(Sequence sequence, FinishReason finish, SequenceCondition condition, String reason) {
    if (sequence.step().state() != SequenceState.DONE) {
      sequence.step().move(condition, reason);
    }
    end(sequence, finish, reason);
  }

  /** Ends a sequence whose step is over, or never began. */
  void end(Sequence sequence, FinishReason finish, String reason) {
    PipeAdmission admission = sequence.admission;
    try {
      if (admission != null) {
        admission.remove(sequence);
      } else if (!auditTracker.stopWaiting(sequence)) {
        queue.remove(sequence);
      }
    } finally {
      GenerationResult result = ResultBuilder.of(sequence, finish, reason, clock.getAsLong());
      (admission == null ? counters : admission.counters()).add(Counter.ENDED, 1);
      notify(sequence.listener, result);
      sequence.generation.end(result);
    }
  }

  private static void notify(GenerationListener listener, GenerationResult result) {
    try {
      listener.ended(result);
    } catch (Throwable e) {
      // it has ended already, and the other sequences continue
    }
  }
}
