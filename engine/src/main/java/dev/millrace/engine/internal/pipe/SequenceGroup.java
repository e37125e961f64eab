package dev.millrace.engine.internal.pipe;

/**
 * Sequences that stand at the same place and go through a pipe as one batch, a run each. Made once
 * and used again; it belongs to the thread of its processor.
 */
public final class SequenceGroup {
  /** The rows. */
  public final Batch batch;

  /** How many rows a turn may have. */
  public final int maxRows;

  private final PipeSequence[] sequences;
  private final boolean[] moreChunks;
  private final int[] heads; // rows
  private long id;

  public SequenceGroup(int width, int maxRows, int maxRuns) {
    this.maxRows = maxRows;
    batch = new Batch(width, maxRows, maxRuns);
    sequences = new PipeSequence[maxRuns];
    moreChunks = new boolean[maxRuns];
    heads = new int[maxRuns];
  }

  /** Empties it for a new turn of that number. */
  public void open(long turn) {
    java.util.Arrays.fill(sequences, 0, batch.runs, null);
    batch.clear();
    id = turn;
  }

  public long id() {
    return id;
  }

  public int size() {
    return batch.runs;
  }

  public PipeSequence sequence(int run) {
    return sequences[run];
  }

  public int firstPosition(int run) {
    return batch.position[batch.firstRow[run]];
  }

  /**
   * Whether the run ends before its sequence's known tokens do, so that no head is due after it.
   */
  public boolean hasMoreChunks(int run) {
    return moreChunks[run];
  }

  /** Adds the next {@code count} positions of a sequence. */
  public void add(PipeSequence traveller, int first, int count, boolean more) {
    int run = batch.runs;
    sequences[run] = traveller;
    moreChunks[run] = more;
    batch.add(first, count, traveller.pages());
  }

  /**
   * The last row of each run that stands at HEAD; {@link #headCount} of them, in the order of the
   * runs.
   */
  int[] headRows() {
    int count = 0;
    for (int run = 0; run < batch.runs; run++) {
      if (sequences[run].step().state() == SequenceState.HEAD) {
        heads[count++] = batch.firstRow[run] + batch.rowCount[run] - 1;
      }
    }
    return heads;
  }

  /** How many runs stand at HEAD. */
  public int headCount() {
    return count(SequenceState.HEAD);
  }

  int count(SequenceState state) {
    int count = 0;
    for (int run = 0; run < batch.runs; run++) {
      count += sequences[run].step().state() == state ? 1 : 0;
    }
    return count;
  }

  /** Whether all of it is with another node. */
  public boolean isHandedOff() {
    for (int run = 0; run < batch.runs; run++) {
      StepEnding ending = sequences[run].step().ending();
      if (ending != null && ending.kind() == StepEnding.Kind.HANDED_OFF) {
        return true;
      }
    }
    return false;
  }

  /** Moves each run that stands in {@code from}. */
  void move(SequenceState from, SequenceCondition condition, String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep walk = sequences[run].step();
      if (walk.state() == from) {
        walk.move(condition, reason);
      }
    }
  }

  /** Ends all that have not ended. */
  void fail(String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep walk = sequences[run].step();
      if (walk.state() != SequenceState.DONE) {
        walk.move(SequenceCondition.STEP_FAILED, reason);
      }
    }
  }
}
