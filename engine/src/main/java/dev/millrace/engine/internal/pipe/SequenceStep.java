package dev.millrace.engine.internal.pipe;

import org.jspecify.annotations.Nullable;

/**
 * The path of one sequence through the transition table at one node, from VALIDATING to DONE, and
 * its next computation. The state changes only here. After DONE the same object may {@link
 * #restart} for the next step; while it is at other nodes, the {@link #next} one may begin. For one
 * thread at a time.
 */
public final class SequenceStep {
  private final PipeTransitionTable table = PipeTransitionTable.SEQUENCE;
  private final TransitionCounts counts;
  private SequenceState state = SequenceState.VALIDATING;
  private NextComputation nextComputation;
  private int layer;
  private @Nullable StepEnding ending;

  /** A new step. */
  public SequenceStep(NextComputation next, int layer, TransitionCounts counts) {
    this.nextComputation = next;
    this.layer = layer;
    this.counts = counts;
  }

  public SequenceState state() {
    return state;
  }

  public NextComputation nextComputation() {
    return nextComputation;
  }

  /** The next layer, if a layer is next. */
  public int layer() {
    return layer;
  }

  /** How it ended; null before the end. */
  public @Nullable StepEnding ending() {
    return ending;
  }

  /** Whether it ended in that way. */
  public boolean hasEnded(StepEnding.Kind kind) {
    return ending != null && ending.kind() == kind;
  }

  /** A step of the same sequence that begins with tokens to embed, while this one is away. */
  public SequenceStep next() {
    return new SequenceStep(NextComputation.EMBED, 0, counts);
  }

  /** Begins the next step after this one is done. */
  public void restart(NextComputation due, int dueLayer) {
    if (state != SequenceState.DONE) {
      throw new IllegalStateException(
          "sequence: still at " + state + "; a step begins only after the one before is DONE");
    }
    state = SequenceState.VALIDATING;
    ending = null;
    setDue(due, dueLayer);
  }

  void setDue(NextComputation due, int dueLayer) {
    nextComputation = due;
    layer = dueLayer;
  }

  public void move(SequenceCondition condition) {
    move(condition, "");
  }

  /** Makes the transition of the table; {@code reason} becomes part of the ending, if it ends. */
  public void move(SequenceCondition condition, String reason) {
    PipeTransitionTable.Row row = table.move(state, condition);
    counts.increment(state, condition);
    state = row.to();
    if (row.ending() != null) {
      ending = endingOf(row.ending(), condition, reason);
    }
  }

  private static StepEnding endingOf(
      StepEnding.Kind kind, SequenceCondition condition, String reason) {
    boolean plain = kind != StepEnding.Kind.RELEASED && kind != StepEnding.Kind.FAILED;
    return new StepEnding(kind, !reason.isEmpty() ? reason : plain ? "" : condition.description());
  }
}
