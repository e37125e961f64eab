package dev.millrace.engine.internal.tensor;

/**
 * The rows of activations that a matrix is multiplied with: (row, columns) floats and, for matrices
 * of at most six bits, the same rows as 8-bit integers in blocks of 32. Allocated once, for the
 * largest turn.
 */
public final class Activations {
  /** The columns that share a scale. */
  static final int BLOCK = 32;

  /**
   * 1.5 * 2^23: added and taken away again, it rounds a small float to the nearest integer, ties to
   * even.
   */
  private static final float ROUND = 12582912f;

  public final int columns;

  /** (row, columns) */
  public final float[] values;

  /** Blocks in a row, or 0 where there is no integer form. */
  final int blocks;

  /** (row, columns / 2): two neighbours as signed 16-bit numbers, the even column low. */
  public final int[] pairs;

  /** (row, blocks): what an integer stands for. */
  public final float[] scales;

  /** (row, blocks): scale times the sum of the block's integers. */
  public final float[] sums;

  /** (row, blocks): -8 times the sums of the even and the odd columns, as a pair. */
  public final int[] minus8;

  /** (row, blocks, 2): -32 times those sums over each half of a block, as a pair. */
  public final int[] minus32;

  public Activations(int columns, int maxRows) {
    this(columns, maxRows, true);
  }

  /**
   * @param integers whether any matrix takes these rows as integers: {@link Matrix#takesIntegers}
   */
  public Activations(int columns, int maxRows, boolean integers) {
    this.columns = columns;
    values = new float[Math.multiplyExact(columns, maxRows)];
    blocks = integers && columns % BLOCK == 0 ? columns / BLOCK : 0;
    int all = Math.multiplyExact(blocks, maxRows);
    pairs = new int[all * (BLOCK / 2)];
    scales = new float[all];
    sums = new float[all];
    minus8 = new int[all];
    minus32 = new int[all * 2];
  }

  /**
   * Call it for each row after its values are set and before any product with it. Different threads
   * may prepare different rows at the same time.
   */
  public void prepareRow(int row) {
    for (int block = 0; block < blocks; block++) {
      quantise(row * columns + block * BLOCK, row * blocks + block);
    }
  }

  private void quantise(int from, int block) {
    float most = 0;
    for (int i = from; i < from + BLOCK; i++) {
      most = Math.max(most, Math.abs(values[i]));
    }
    float inverse = most == 0 ? 0 : 127f / most;
    int pair = block * (BLOCK / 2);
    int firstHalf = pack(from, pair, inverse);
    int secondHalf = pack(from + BLOCK / 2, pair + BLOCK / 4, inverse);
    int even = (short) firstHalf + (short) secondHalf;
    int odd = (firstHalf >> 16) + (secondHalf >> 16);
    float scale = most / 127f;
    scales[block] = scale;
    sums[block] = scale * (even + odd);
    minus8[block] = pair(-8 * even, -8 * odd);
    minus32[2 * block] = pair(-32 * (short) firstHalf, -32 * (firstHalf >> 16));
    minus32[2 * block + 1] = pair(-32 * (short) secondHalf, -32 * (secondHalf >> 16));
  }

  /** Half a block into pairs; the sums of its even and odd columns, as a pair. */
  private int pack(int from, int pair, float inverse) {
    int even = 0;
    int odd = 0;
    for (int i = 0; i < BLOCK / 4; i++) {
      int a = (int) ((values[from + 2 * i] * inverse + ROUND) - ROUND);
      int b = (int) ((values[from + 2 * i + 1] * inverse + ROUND) - ROUND);
      pairs[pair + i] = pair(a, b);
      even += a;
      odd += b;
    }
    return pair(even, odd);
  }

  /** Column k of a row as an integer. */
  public int integer(int row, int k) {
    int pair = pairs[(row * columns + k) / 2];
    return (k & 1) == 0 ? (short) pair : pair >> 16;
  }

  private static int pair(int even, int odd) {
    return even & 0xffff | odd << 16;
  }
}
