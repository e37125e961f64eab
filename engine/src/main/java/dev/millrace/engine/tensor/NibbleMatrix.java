package dev.millrace.engine.tensor;

import static dev.millrace.engine.tensor.Packing.INT;
import static dev.millrace.engine.tensor.Packing.LONG;
import static dev.millrace.engine.tensor.Packing.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Q4_0: weights of four bits, a scale for 32 of them. A group has, block by block, four vectors of
 * 16 lanes with eight weights each; then, block by block, 16 scales.
 */
final class NibbleMatrix extends RowGroups {
  private final int blocks;

  NibbleMatrix(Packing packing, int rows, int columns) {
    super(packing, rows, columns, columns / 32 * 288L);
    blocks = columns / 32;
    packing.each(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long quants = group * groupBytes;
    long scales = quants + blocks * 256L;
    for (int r = 0; r < GROUP; r++) {
      for (int b = 0; b < blocks; b++) {
        long block = r * rowBytes + b * 18L;
        weights.set(SHORT, scales + b * 32L + r * 2L, source.get(SHORT, block));
        packNibbles(source, block + 2, weights, quants + b * 256L + r * 4L);
      }
    }
  }

  /**
   * The 16 bytes of a block hold columns 0 to 15 in their low halves and 16 to 31 in their high
   * ones.
   */
  private static void packNibbles(
      MemorySegment source, long from, MemorySegment target, long lane) {
    for (int j = 0; j < 4; j++) {
      long bytes = source.get(LONG, from + (j & 1) * 8) >>> (j >> 1) * 4;
      target.set(INT, lane + j * 64L, paired(bytes, 0x000f000f000f000fL));
    }
  }

  /**
   * Eight columns, a byte each, as a lane holds them: the low bits of the even ones in the low
   * half, those of the odd ones in the high half.
   */
  static int paired(long bytes, long mask) {
    return (int) (Long.compress(bytes, mask) | Long.compress(bytes >>> 8, mask) << 16);
  }

  @Override
  public boolean takesIntegers() {
    return true;
  }

  @Override
  void one(int group, int other, Activations x, int c, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      scalar(group, x, c, tile, 0);
      scalar(other, x, c, tile, GROUP);
      return;
    }
    long q0 = group * groupBytes;
    long q1 = other * groupBytes;
    long s = blocks * 256L;
    if (Lanes.COUNT == GROUP) {
      NibbleVectors.one(weights, q0, q1, q0 + s, q1 + s, blocks, x, c, tile, 0, GROUP);
      return;
    }
    for (int lane = 0; lane < GROUP; lane += Lanes.COUNT) {
      NibbleVectors.one(
          weights,
          q0 + 4 * lane,
          q1 + 4 * lane,
          q0 + s + 2 * lane,
          q1 + s + 2 * lane,
          blocks,
          x,
          c,
          tile,
          lane,
          GROUP + lane);
    }
  }

  @Override
  void four(int group, int other, Activations x, int c, int count, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      for (int i = 0; i < count; i++) {
        scalar(group, x, c + i, tile, 32 * i);
        scalar(other, x, c + i, tile, 32 * i + GROUP);
      }
      return;
    }
    long q0 = group * groupBytes;
    long q1 = other * groupBytes;
    long s = blocks * 256L;
    int last = c + count - 1;
    for (int lane = 0; lane < GROUP; lane += Lanes.COUNT) {
      NibbleVectors.four(
          weights,
          q0 + 4 * lane,
          q1 + 4 * lane,
          q0 + s + 2 * lane,
          q1 + s + 2 * lane,
          blocks,
          x,
          c,
          c + 1,
          Math.min(c + 2, last),
          last,
          tile,
          lane,
          GROUP + lane);
    }
  }

  private void scalar(int group, Activations x, int c, float[] tile, int t) {
    long quants = group * groupBytes;
    long scales = quants + blocks * 256L;
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < blocks; b++) {
        int dot = 0;
        for (int k = 0; k < 32; k++) {
          int word = weights.get(INT, quants + b * 256L + k / 8 * 64 + r * 4);
          int weight = (word >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15) - 8;
          int pair = x.pairs[(c * blocks + b) * 16 + k / 2];
          dot += weight * ((k & 1) == 0 ? (short) pair : pair >> 16);
        }
        float scale = Half.toFloat(weights.get(SHORT, scales + b * 32L + r * 2L));
        sum = Math.fma((float) dot, scale * x.scales[c * blocks + b], sum);
      }
      tile[t + r] = sum;
    }
  }

  @Override
  public void row(int row, float[] out, int offset) {
    long quants = row / GROUP * groupBytes;
    long scales = quants + blocks * 256L;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      int word = weights.get(INT, quants + k / 8 * 64L + r * 4);
      int weight = (word >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15) - 8;
      out[offset + k] = weight * Half.toFloat(weights.get(SHORT, scales + k / 32 * 32L + r * 2));
    }
  }
}
