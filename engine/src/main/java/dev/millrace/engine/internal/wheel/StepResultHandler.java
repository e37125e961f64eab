package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.pipe.SequenceStep;
import dev.millrace.engine.internal.pipe.StepEnding;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import org.jspecify.annotations.Nullable;

/**
 * What follows a batch: positions are noted as computed, tokens are chosen, sequences end or rest.
 */
final class StepResultHandler {
  /** A node may release a sequence so often in a row; then it has failed. */
  static final int MOST_RELEASES = 8;

  private final PipeProcessor processor;
  private final PipeAdmission admission;
  private final PageAllocator ledger;
  private final TokenSelector choosing;
  private final SequenceCloser endings;
  private final float[] logits; // (sequence, vocabulary)

  StepResultHandler(
      BatchLoop.Shared shared,
      PipeProcessor processor,
      PipeAdmission admission,
      PageAllocator ledger) {
    this.processor = processor;
    this.admission = admission;
    this.ledger = ledger;
    choosing = shared.tokenSelector();
    endings = shared.closer();
    logits = shared.logits();
  }

  /** Takes all sequences of a group that is back, or was never away, to their next rest. */
  void handle(SequenceGroup group) {
    String trouble = advance(group);
    int row = 0;
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.sequence(run);
      boolean head = sequence.step().state() == SequenceState.HEAD;
      settle(sequence, head ? row++ : -1, trouble);
    }
  }

  /** Notes what is computed, and computes the logits; gives why those failed, if they did. */
  private @Nullable String advance(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.sequence(run);
      if (sequence.step().state() != SequenceState.DONE) {
        sequence.advance(group.batch.rowCount[run], ledger);
      }
    }
    try {
      processor.head(group, logits);
      return null;
    } catch (Throwable e) {
      return PipeProcessor.reason(e);
    }
  }

  /** Takes one sequence of a batch to its next rest, or to its end. */
  private void settle(Sequence sequence, int row, @Nullable String trouble) {
    SequenceStep walk = sequence.step();
    StepEnding ending = walk.ending();
    if (endings.endIfRequested(sequence)) {
      return;
    } else if (ending != null && ending.kind() != StepEnding.Kind.RELEASED) {
      endings.end(sequence, FinishReason.FAILED, ending.reason());
    } else if (ending != null) {
      release(sequence, ending.reason());
    } else if (row < 0) {
      progress(sequence);
    } else if (trouble != null) {
      endings.end(sequence, FinishReason.FAILED, SequenceCondition.STEP_FAILED, trouble);
    } else {
      handle(sequence, row);
    }
  }

  /** It goes back to the line and is tried again, if it was not too often. */
  private void release(Sequence sequence, String reason) {
    if (++sequence.releases < MOST_RELEASES) {
      admission.requeue(sequence);
    } else {
      endings.end(sequence, FinishReason.FAILED, reason);
    }
  }

  private void progress(Sequence sequence) {
    try {
      sequence.listener.progress(sequence.computed(), sequence.known());
    } catch (Throwable e) {
      endings.end(
          sequence, FinishReason.FAILED, SequenceCondition.UPDATE_UNDELIVERED, undelivered(e));
    }
  }

  private void handle(Sequence sequence, int row) {
    int token;
    boolean end;
    String piece;
    String differs;
    try {
      token = choosing.choose(sequence, logits, row * processor.end().vocabulary());
      admission.counters().add(Counter.CHOSEN_TOKENS, 1);
      end = choosing.isEnd(sequence, token);
      differs = sequence.mismatch(token, end);
      piece = end || differs != null ? "" : choosing.accept(sequence, token);
    } catch (Throwable e) {
      sequence.refused = e instanceof EngineException; // all else may go well another time
      endings.end(
          sequence, FinishReason.FAILED, SequenceCondition.STEP_FAILED, PipeProcessor.reason(e));
      return;
    }
    if (differs != null) {
      endings.end(sequence, FinishReason.REVOKED, SequenceCondition.STEP_FAILED, differs);
    } else if (end) {
      endings.complete(sequence, FinishReason.STOP);
    } else {
      tell(sequence, token, piece);
    }
  }

  private void tell(Sequence sequence, int token, String piece) {
    try {
      if (sequence.isNewToken()) {
        boolean wanted = sequence.request.sampling().logprobs() >= 0;
        sequence.listener.token(token, piece, wanted ? sequence.sampler.logprobs() : null);
      }
    } catch (Throwable e) {
      endings.end(
          sequence, FinishReason.FAILED, SequenceCondition.UPDATE_UNDELIVERED, undelivered(e));
      return;
    }
    FinishReason finish = choosing.finish(sequence);
    if (finish == null) {
      sequence.step().move(SequenceCondition.MORE_TOKENS);
    } else {
      endings.complete(sequence, finish);
    }
  }

  private static String undelivered(Throwable e) {
    return "its listener threw: " + PipeProcessor.reason(e);
  }
}
