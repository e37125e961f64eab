package dev.millrace.engine.pipe;

/**
 * Sequences that stand at the same place and go through a pipe as one batch, a run each. Made once
 * and used again; it belongs to the thread of its processor.
 */
public final class Group {
  /** The rows. */
  public final Batch batch;

  /** How many rows a turn may have. */
  public final int maxRows;

  private final Traveller[] travellers;
  private final boolean[] moreChunks;
  private final int[] heads; // rows
  private long id;

  public Group(int width, int maxRows, int maxRuns) {
    this.maxRows = maxRows;
    batch = new Batch(width, maxRows, maxRuns);
    travellers = new Traveller[maxRuns];
    moreChunks = new boolean[maxRuns];
    heads = new int[maxRuns];
  }

  /** Empties it for a new turn of that number. */
  public void open(long turn) {
    java.util.Arrays.fill(travellers, 0, batch.runs, null);
    batch.clear();
    id = turn;
  }

  public long id() {
    return id;
  }

  public int size() {
    return batch.runs;
  }

  public Traveller traveller(int run) {
    return travellers[run];
  }

  public int firstPosition(int run) {
    return batch.position[batch.firstRow[run]];
  }

  /**
   * Whether the run ends before its sequence's known tokens do, so that no head is due after it.
   */
  public boolean moreChunks(int run) {
    return moreChunks[run];
  }

  /** Adds the next {@code count} positions of a sequence. */
  public void add(Traveller traveller, int first, int count, boolean more) {
    int run = batch.runs;
    travellers[run] = traveller;
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
      if (travellers[run].walk().state() == SequenceState.HEAD) {
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
      count += travellers[run].walk().state() == state ? 1 : 0;
    }
    return count;
  }

  /** Whether all of it is with another node. */
  public boolean isAway() {
    for (int run = 0; run < batch.runs; run++) {
      Ending ending = travellers[run].walk().ending();
      if (ending != null && ending.kind() == Ending.Kind.HANDED_OFF) {
        return true;
      }
    }
    return false;
  }

  /** Moves each run that stands in {@code from}. */
  void move(SequenceState from, Condition condition, String reason) {
    for (int run = 0; run < batch.runs; run++) {
      Walk walk = travellers[run].walk();
      if (walk.state() == from) {
        walk.move(condition, reason);
      }
    }
  }

  /** Ends all that have not ended. */
  void fail(String reason) {
    for (int run = 0; run < batch.runs; run++) {
      Walk walk = travellers[run].walk();
      if (walk.state() != SequenceState.DONE) {
        walk.move(Condition.STEP_FAILED, reason);
      }
    }
  }
}
