package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.Matrix;

/**
 * Matrix products by tiles, for matrices that compute with their stored weights: two groups of rows
 * by one, four or eight columns. If fewer columns are left, a tile computes the last one twice.
 */
interface TileMatMul {
  /** Columns of activations that stay in the nearer caches while the rows of a part pass by. */
  int COLUMN_BLOCK = 64;

  /** The products of a group, the next one and the row {@code c} of x, into tile[0…31]. */
  void tile1(int group, Activations x, int c, float[] tile);

  /**
   * The products of a group, the next one and {@code count} rows of x from {@code c} on, at most 4
   * and at least 2, into tile[32 * i…].
   */
  void tile4(int group, Activations x, int c, int count, float[] tile);

  /** The same for eight rows of x; false where there is no kernel for so many. */
  default boolean tile8(int group, Activations x, int c, float[] tile) {
    return false;
  }

  /** {@link Matrix#multiply}, tile by tile. */
  default void multiplyTiles(
      int from,
      int to,
      Activations x,
      int xRow,
      int count,
      float[] out,
      int outRow,
      int outStride,
      int outColumn,
      float[] tile) {
    for (int first = 0; first < count; first += COLUMN_BLOCK) {
      int last = Math.min(first + COLUMN_BLOCK, count);
      for (int row = from; row < to; row += 2 * InterleavedMatrix.GROUP) {
        int group = row / InterleavedMatrix.GROUP;
        int height = Math.min(to - row, 2 * InterleavedMatrix.GROUP);
        int at = outRow * outStride + outColumn + row;
        int c = first;
        for (; c + 7 < last && tile8(group, x, xRow + c, tile); c += 8) {
          copy(tile, 8, height, out, at + c * outStride, outStride);
        }
        for (; c + 1 < last; c += 4) {
          int left = Math.min(4, last - c);
          tile4(group, x, xRow + c, left, tile);
          copy(tile, left, height, out, at + c * outStride, outStride);
        }
        if (c < last) {
          tile1(group, x, xRow + c, tile);
          copy(tile, 1, height, out, at + c * outStride, outStride);
        }
      }
    }
  }

  private static void copy(float[] tile, int columns, int rows, float[] out, int at, int stride) {
    for (int i = 0; i < columns; i++) {
      System.arraycopy(tile, 32 * i, out, at + i * stride, rows);
    }
  }
}
