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
 * Handles the results of a batch: marks positions as computed, chooses tokens, and ends or requeues
 * sequences.
 */
final class StepResultHandler {
  /** How often in a row nodes may release a sequence before it fails. */
  static final int MOST_RELEASES = 8;

  private final PipeProcessor processor;
  private final PipeAdmission admission;
  private final PageAllocator allocator;
  private final TokenSelector selector;
  private final SequenceCloser closer;
  private final float[] logits; // (sequence, vocabulary)

  StepResultHandler(
      BatchLoop.Shared shared,
      PipeProcessor processor,
      PipeAdmission admission,
      PageAllocator allocator) {
    this.processor = processor;
    this.admission = admission;
    this.allocator = allocator;
    selector = shared.tokenSelector();
    closer = shared.closer();
    logits = shared.logits();
  }

  /** Handles the results of all sequences of a group that is back, or never left. */
  void handle(SequenceGroup group) {
    String problem = advance(group);
    int row = 0;
    for (int run = 0; run < group.size(); run++) {
      boolean head = group.step(run).state() == SequenceState.HEAD;
      settle(group, run, head ? row++ : -1, problem);
    }
  }

  /**
   * Marks positions as computed, and computes the logits; returns why those failed, if they did.
   */
  private @Nullable String advance(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.sequence(run);
      if (isComputed(group.step(run)) && sequence.inFlight.failure() == null) {
        sequence.advance(group.batch.rowCount[run], allocator);
      }
    }
    try {
      processor.head(group, logits);
      return null;
    } catch (Throwable e) {
      return PipeProcessor.reason(e);
    }
  }

  private static boolean isComputed(SequenceStep step) {
    return step.state() != SequenceState.DONE || step.hasEnded(StepEnding.Kind.CONTINUED);
  }

  /**
   * Ends or requeues one sequence of a batch, or readies it for its next step; not before all its
   * chunks are back.
   */
  private void settle(SequenceGroup group, int run, int row, @Nullable String problem) {
    Sequence sequence = (Sequence) group.sequence(run);
    SequenceStep step = group.step(run);
    StepEnding ending = step.ending();
    if (ending != null && !isComputed(step)) {
      sequence.inFlight.fail(ending);
    }
    StepEnding failure = sequence.inFlight.failure();
    if (sequence.inFlight.isAny()) {
      progressOfChunk(sequence);
    } else if (closer.endIfRequested(sequence)) {
      return;
    } else if (failure != null && failure.kind() != StepEnding.Kind.RELEASED) {
      closer.end(sequence, FinishReason.FAILED, SequenceCondition.STEP_FAILED, failure.reason());
    } else if (failure != null) {
      release(sequence, failure.reason());
    } else if (row < 0) {
      progress(sequence);
    } else if (problem != null) {
      closer.end(sequence, FinishReason.FAILED, SequenceCondition.STEP_FAILED, problem);
    } else {
      handle(sequence, row);
    }
  }

  /** Returns it to the queue to be tried again, if that did not happen too often. */
  private void release(Sequence sequence, String reason) {
    if (++sequence.releases < MOST_RELEASES) {
      admission.requeue(sequence);
    } else {
      closer.end(sequence, FinishReason.FAILED, reason);
    }
  }

  /** A chunk is back, and further ones are away: the sequence does not end before them. */
  private static void progressOfChunk(Sequence sequence) {
    if (sequence.inFlight.failure() == null) {
      try {
        sequence.listener.progress(sequence.computed(), sequence.known());
      } catch (Throwable e) {
        sequence.inFlight.fail(new StepEnding(StepEnding.Kind.FAILED, undelivered(e)));
      }
    }
  }

  private void progress(Sequence sequence) {
    try {
      sequence.listener.progress(sequence.computed(), sequence.known());
    } catch (Throwable e) {
      closer.end(
          sequence, FinishReason.FAILED, SequenceCondition.UPDATE_UNDELIVERED, undelivered(e));
    }
  }

  private void handle(Sequence sequence, int row) {
    int token;
    boolean end;
    String piece;
    String differs;
    try {
      token = selector.choose(sequence, logits, row * processor.end().vocabulary());
      admission.counters().add(Counter.CHOSEN_TOKENS, 1);
      end = selector.isEnd(sequence, token);
      differs = sequence.mismatch(token, end);
      piece = end || differs != null ? "" : selector.accept(sequence, token);
    } catch (Throwable e) {
      sequence.refused = e instanceof EngineException; // any other failure may not happen again
      closer.end(
          sequence, FinishReason.FAILED, SequenceCondition.STEP_FAILED, PipeProcessor.reason(e));
      return;
    }
    if (differs != null) {
      closer.end(sequence, FinishReason.REVOKED, SequenceCondition.STEP_FAILED, differs);
    } else if (end) {
      closer.complete(sequence, FinishReason.STOP);
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
      closer.end(
          sequence, FinishReason.FAILED, SequenceCondition.UPDATE_UNDELIVERED, undelivered(e));
      return;
    }
    FinishReason finish = selector.finish(sequence);
    if (finish == null) {
      sequence.step().move(SequenceCondition.MORE_TOKENS);
    } else {
      closer.complete(sequence, finish);
    }
  }

  private static String undelivered(Throwable e) {
    return "its listener threw: " + PipeProcessor.reason(e);
  }
}
