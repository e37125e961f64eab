package dev.millrace.engine.internal.pipe;

import java.util.Arrays;

/**
 * Sequences in the same state that go through a pipe as one batch, one run each, with the step of
 * each and its page table as they were when it was added: while the group is at other nodes, its
 * sequences may begin the next step. Allocated once and reused; it belongs to the thread of its
 * processor.
 */
public final class SequenceGroup {
  /** The rows. */
  public final Batch batch;

  /** The most rows of a batch. */
  public final int maxRows;

  private final PipeSequence[] sequences;
  private final SequenceStep[] steps;
  private final int[][] pages;
  private final boolean[] moreChunks;
  private final int[] heads; // rows
  private long id;

  public SequenceGroup(int width, int maxRows, int maxRuns) {
    this.maxRows = maxRows;
    batch = new Batch(width, maxRows, maxRuns);
    sequences = new PipeSequence[maxRuns];
    steps = new SequenceStep[maxRuns];
    pages = new int[maxRuns][0];
    moreChunks = new boolean[maxRuns];
    heads = new int[maxRuns];
  }

  /** Empties the group for a new batch with that number. */
  public void open(long turn) {
    Arrays.fill(sequences, 0, batch.runs, null);
    Arrays.fill(steps, 0, batch.runs, null);
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

  /** The step of the run; its sequence may be at a later one. */
  public SequenceStep step(int run) {
    return steps[run];
  }

  /** Whether the sequence of the run has begun a later step, with the next chunk of its prompt. */
  boolean isOvertaken(int run) {
    return sequences[run].step() != steps[run];
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
    steps[run] = sequence.step();
    moreChunks[run] = more;
    batch.add(first, count, copyPages(run, sequence.pages(), KvPageSize.countFor(first + count)));
  }

  private int[] copyPages(int run, int[] from, int count) {
    if (pages[run].length < count) {
      pages[run] = new int[Math.max(count, 2 * pages[run].length)];
    }
    System.arraycopy(from, 0, pages[run], 0, count);
    return pages[run];
  }

  /** The last row of each run at HEAD; {@link #headCount} of them, in the order of the runs. */
  int[] headRows() {
    int count = 0;
    for (int run = 0; run < batch.runs; run++) {
      if (steps[run].state() == SequenceState.HEAD) {
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
      count += steps[run].state() == state ? 1 : 0;
    }
    return count;
  }

  /** Whether all of it is at another node. */
  public boolean isHandedOff() {
    for (int run = 0; run < batch.runs; run++) {
      if (steps[run].hasEnded(StepEnding.Kind.HANDED_OFF)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a step of it ended without its result. */
  boolean isLost() {
    for (int run = 0; run < batch.runs; run++) {
      if (steps[run].hasEnded(StepEnding.Kind.RELEASED)
          || steps[run].hasEnded(StepEnding.Kind.FAILED)) {
        return true;
      }
    }
    return false;
  }

  /** Moves each run that is in {@code from}. */
  void move(SequenceState from, SequenceCondition condition, String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep step = steps[run];
      if (step.state() == from) {
        step.move(condition, reason);
      }
    }
  }

  /** Ends all runs that have not ended. */
  void fail(String reason) {
    for (int run = 0; run < batch.runs; run++) {
      SequenceStep step = steps[run];
      if (step.state() != SequenceState.DONE) {
        step.move(SequenceCondition.STEP_FAILED, reason);
      }
    }
  }
}
