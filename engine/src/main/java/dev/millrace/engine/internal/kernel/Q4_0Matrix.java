package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.LONG;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import java.lang.foreign.MemorySegment;

/**
 * Q4_0: weights of four bits, a scale for 32 of them. A block has four times two vectors, one for
 * each group, of 16 lanes with eight weights each; then 16 scales for each group.
 */
final class Q4_0Matrix extends TiledMatrix {
  private static final int BLOCK = 2 * 256 + 2 * 32;

  private final int blocks;

  Q4_0Matrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 32, BLOCK);
    blocks = columns / 32;
    packing.packGroups(rows, this::pack);
  }

  /** Where the lanes with columns 8 j to 8 j + 7 of a block lie. */
  private long quants(int group, int b, int j) {
    return block(group, b) + j * 128 + side(group) * 64;
  }

  private long scales(int group, int b) {
    return block(group, b) + 512 + side(group) * 32;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int b = 0; b < blocks; b++) {
      for (int r = 0; r < GROUP; r++) {
        long block = r * rowBytes + b * 18L;
        weights.set(SHORT, scales(group, b) + r * 2, source.get(SHORT, block));
        packNibbles(source, block + 2, quants(group, b, 0) + r * 4);
      }
    }
  }

  /**
   * The 16 bytes of a block hold columns 0 to 15 in their low halves and 16 to 31 in their high
   * ones.
   */
  private void packNibbles(MemorySegment source, long from, long lane) {
    for (int j = 0; j < 4; j++) {
      long bytes = source.get(LONG, from + (j & 1) * 8) >>> (j >> 1) * 4;
      weights.set(INT, lane + j * 128, paired(bytes, 0x000f000f000f000fL));
    }
  }

  /**
   * Eight columns, a byte each, as a lane holds them: the low bits of the even ones in the low
   * half, those of the odd ones in the high half.
   */
  static int paired(long bytes, long mask) {
    return (int) (Long.compress(bytes, mask) | Long.compress(bytes >>> 8, mask) << 16);
  }

  /** Column k of the eight in a lane. */
  static int nibble(int lane, int k) {
    return lane >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15;
  }

  @Override
  NativeKernels.Format nativeFormat() {
    return NativeKernels.Format.Q4_0;
  }

  @Override
  public boolean takesIntegers() {
    return true;
  }

  @Override
  void vectorTile1(long band, int lane, Activations x, int c, float[] tile) {
    Q4_0VectorKernel.x1(weights, band, lane, blocks, x, c, tile);
  }

  @Override
  void vectorTile4(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile) {
    Q4_0VectorKernel.x4(weights, band, lane, blocks, x, c0, c1, c2, c3, tile);
  }

  @Override
  void scalarTile(int group, Activations x, int c, float[] tile, int t) {
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < blocks; b++) {
        int dot = 0;
        for (int k = 0; k < 32; k++) {
          dot += weight(group, r, b, k) * x.integer(c, b * 32 + k);
        }
        sum = Math.fma((float) dot, scale(group, r, b) * x.scales[c * blocks + b], sum);
      }
      tile[t + r] = sum;
    }
  }

  private int weight(int group, int r, int b, int k) {
    return nibble(weights.get(INT, quants(group, b, k / 8) + r * 4), k) - 8;
  }

  private float scale(int group, int r, int b) {
    return HalfFloat.toFloat(weights.get(SHORT, scales(group, b) + r * 2));
  }

  @Override
  public void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      out[offset + k] = weight(group, r, k / 32, k % 32) * scale(group, r, k / 32);
    }
  }
}
