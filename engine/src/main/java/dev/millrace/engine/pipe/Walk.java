package dev.millrace.engine.pipe;

import org.jspecify.annotations.Nullable;

/**
 * One sequence's way through the table at one node, from VALIDATING to DONE, and what is due for
 * it. A state changes here and nowhere else. When a walk is done, the same object may {@link
 * #begin} the next one. One thread at a time.
 */
public final class Walk {
  private final PipeTable table = PipeTable.SEQUENCE;
  private final Tally tally;
  private SequenceState state = SequenceState.VALIDATING;
  private ComputeStep step;
  private int layer;
  private @Nullable Ending ending;

  /** A walk at its beginning. */
  public Walk(ComputeStep step, int layer, Tally tally) {
    this.step = step;
    this.layer = layer;
    this.tally = tally;
  }

  public SequenceState state() {
    return state;
  }

  public ComputeStep step() {
    return step;
  }

  /** The next layer, where layers are due. */
  public int layer() {
    return layer;
  }

  /** How it ended; null while it goes on. */
  public @Nullable Ending ending() {
    return ending;
  }

  /** Sets out again, after this walk is done, with that due. */
  public void begin(ComputeStep due, int dueLayer) {
    if (state != SequenceState.DONE) {
      throw new IllegalStateException(
          "sequence: still at " + state + "; a walk begins after another is DONE");
    }
    state = SequenceState.VALIDATING;
    ending = null;
    due(due, dueLayer);
  }

  void due(ComputeStep due, int dueLayer) {
    step = due;
    layer = dueLayer;
  }

  public void move(Condition condition) {
    move(condition, "");
  }

  /** Goes where the table leads; {@code reason} goes into the ending, where it ends. */
  public void move(Condition condition, String reason) {
    PipeTable.Row row = table.move(state, condition);
    tally.count(state, condition);
    state = row.to();
    if (row.ending() != null) {
      ending = endingOf(row.ending(), condition, reason);
    }
  }

  private static Ending endingOf(Ending.Kind kind, Condition condition, String reason) {
    boolean plain = kind == Ending.Kind.COMPLETED || kind == Ending.Kind.HANDED_OFF;
    return new Ending(kind, !reason.isEmpty() ? reason : plain ? "" : condition.words());
  }
}
