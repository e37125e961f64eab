package dev.millrace.engine.internal.pipe;

/**
 * Sequences in the same state that go through a pipe as one batch, one run each. Allocated once and
 * reused; it belongs to the thread of its processor.
 */
public final class SequenceGroup {
  /** The rows. */
  public final Batch batch;

  /** The most rows of a batch. */
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

  /** Empties the group for a new batch with that number. */
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

  /** Whether the run ends before the last known token of its sequence, so that no head follows. */
  public boolean hasMoreChunks(int run) {
    return moreChunks[run];
  }

  /** Adds the next {@code count} positions of a sequence. */
  public void add(PipeSequence sequence, int first, int count, boolean more) {
    int run = batch.runs;
    sequences[run] = sequence;
    moreChunks[run] = more;
    batch.add(first, count, sequence.pages());
  }

  /** The last row of each run at HEAD; {@link #headCount} of them, in the order of the runs. */
  int[] headRows() {
    int count = 0;
    for (int run = 0; run < batch.runs; run++) {
      if (sequences[run].step().state() == SequenceState.HEAD) {
        heads[count++] = batch.firstRow[run] + batch.rowCount[run] - 1;
      }
    }
    return heads;
  }

  /** The number of runs at HEAD. */
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

  /** Whether all of it is at another node. */
  public boolean isHandedOff() {
    for (int run = 0; run < batch.runs; run++) {
      StepEnding ending = sequences[run].step().ending();
      if (ending != null && ending.kind() == StepEnding.Kind.HANDED_OFF) {
        return true;
      }
    }
    return false;
  }

  /** Moves each run that is in {@code from}. */
  void move(SequenceState from, SequenceCondition condition, String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep step = sequences[run].step();
      if (step.state() == from) {
        step.move(condition, reason);
      }
    }
  }

  /** Ends all runs that have not ended. */
  void fail(String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep step = sequences[run].step();
      if (step.state() != SequenceState.DONE) {
        step.move(SequenceCondition.STEP_FAILED, reason);
      }
    }
  }
}
