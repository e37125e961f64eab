package dev.millrace.engine.internal.pipe;

/**
 * The rows that go through a pipe in one batch: hidden states, one row per token, grouped into
 * runs. A run is consecutive positions of one sequence. All arrays are allocated once, for the
 * largest batch; the fields say how much of them is used.
 */
public final class Batch {
  /** The width of a hidden state. */
  public final int width;

  /** The number of rows in use. */
  public int rows;

  /** Each row's position in its sequence. */
  public final int[] position;

  /** Each row's run. */
  public final int[] runOf;

  /** The number of runs in use. */
  public int runs;

  /** Each run's first row. */
  public final int[] firstRow;

  /** Each run's number of rows. */
  public final int[] rowCount;

  /**
   * Each run's page table: position p of its sequence is in page {@code pages[run][p / PAGE]}.
   * There are pages up to the run's last position; those before the run are filled.
   */
  public final int[][] pages;

  /** (row, width) */
  public final float[] hidden;

  public Batch(int width, int maxRows, int maxRuns) {
    this.width = width;
    this.position = new int[maxRows];
    this.runOf = new int[maxRows];
    this.firstRow = new int[maxRuns];
    this.rowCount = new int[maxRuns];
    this.pages = new int[maxRuns][];
    this.hidden = new float[Math.multiplyExact(maxRows, width)];
  }

  public void clear() {
    rows = 0;
    runs = 0;
  }

  /**
   * Adds {@code count} positions, starting at {@code first}; the embedding fills their hidden
   * states. Returns the first row.
   */
  public int add(int first, int count, int[] pageTable) {
    int row = rows;
    firstRow[runs] = row;
    rowCount[runs] = count;
    pages[runs] = pageTable;
    for (int i = 0; i < count; i++) {
      position[row + i] = first + i;
      runOf[row + i] = runs;
    }
    rows += count;
    runs++;
    return row;
  }
}
