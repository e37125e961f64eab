package dev.millrace.engine.internal.pipe;

import org.jspecify.annotations.Nullable;

/**
 * One sequence's way through the table at one node, from VALIDATING to DONE, and what is due for
 * it. A state changes here and nowhere else. When a walk is done, the same object may {@link
 * #begin} the next one. One thread at a time.
 */
public final class SequenceStep {
  private final PipeTransitionTable table = PipeTransitionTable.SEQUENCE;
  private final TransitionCounts tally;
  private SequenceState state = SequenceState.VALIDATING;
  private ComputeStep computeStep;
  private int layer;
  private @Nullable StepEnding ending;

  /** A walk at its beginning. */
  public SequenceStep(ComputeStep step, int layer, TransitionCounts tally) {
    this.computeStep = step;
    this.layer = layer;
    this.tally = tally;
  }

  public SequenceState state() {
    return state;
  }

  public ComputeStep computeStep() {
    return computeStep;
  }

  /** The next layer, where layers are due. */
  public int layer() {
    return layer;
  }

  /** How it ended; null while it goes on. */
  public @Nullable StepEnding ending() {
    return ending;
  }

  /** Sets out again, after this walk is done, with that due. */
  public void restart(ComputeStep due, int dueLayer) {
    if (state != SequenceState.DONE) {
      throw new IllegalStateException(
          "sequence: still at " + state + "; a walk begins after another is DONE");
    }
    state = SequenceState.VALIDATING;
    ending = null;
    setDue(due, dueLayer);
  }

  void setDue(ComputeStep due, int dueLayer) {
    computeStep = due;
    layer = dueLayer;
  }

  public void move(SequenceCondition condition) {
    move(condition, "");
  }

  /** Goes where the table leads; {@code reason} goes into the ending, where it ends. */
  public void move(SequenceCondition condition, String reason) {
    PipeTransitionTable.Row row = table.move(state, condition);
    tally.increment(state, condition);
    state = row.to();
    if (row.ending() != null) {
      ending = endingOf(row.ending(), condition, reason);
    }
  }

  private static StepEnding endingOf(
      StepEnding.Kind kind, SequenceCondition condition, String reason) {
    boolean plain = kind == StepEnding.Kind.COMPLETED || kind == StepEnding.Kind.HANDED_OFF;
    return new StepEnding(kind, !reason.isEmpty() ? reason : plain ? "" : condition.description());
  }
}
