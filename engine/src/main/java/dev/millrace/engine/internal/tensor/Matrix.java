package dev.millrace.engine.internal.tensor;

/** A matrix of weights (rows, columns), stored in the layout of its kernel. */
public interface Matrix {
  int rows();

  int columns();

  /**
   * The granularity of the split: parts start and end at multiples of this many rows (or at the
   * end).
   */
  int rowStep();

  /** Whether products read the integer form of activations. */
  boolean takesIntegers();

  /** The memory that it takes. */
  long bytes();

  /**
   * Multiplies the rows [from, to) of this matrix with {@code count} rows of x: {@code out[(outRow
   * + i) * outStride + outColumn + r] = dot(this row r, x row xRow + i)}. Each element is computed
   * in one fixed order, whatever the ranges.
   *
   * @param worker names scratch space
   */
  void multiply(
      int from,
      int to,
      Activations x,
      int xRow,
      int count,
      float[] out,
      int outRow,
      int outStride,
      int outColumn,
      int worker);

  /** The row as floats: what an embedding looks up. */
  void row(int row, float[] out, int offset);
}
