package dev.millrace.engine.tensor;

import static dev.millrace.engine.tensor.Packing.BYTE;
import static dev.millrace.engine.tensor.Packing.INT;
import static dev.millrace.engine.tensor.Packing.LONG;
import static dev.millrace.engine.tensor.Packing.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Q6_K: weights of six bits, an 8-bit scale for 16 of them, one more scale for a superblock of 256.
 * A group has, block by block, two vectors of low bits as in {@link NibbleMatrix}; then, block by
 * block, a vector whose lanes hold the high bits of 16 columns, even ones in the low half; then, by
 * superblock, 16 times 16 scales of a byte and 16 scales of those.
 */
final class SixBitMatrix extends RowGroups {
  private final int supers;
  private final long highAt;
  private final long scalesAt;

  SixBitMatrix(Packing packing, int rows, int columns) {
    super(packing, rows, columns, columns / 256 * (2048L + 1024 + 288));
    supers = columns / 256;
    highAt = supers * 2048L;
    scalesAt = highAt + supers * 1024L;
    packing.each(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long base = group * groupBytes;
    for (int r = 0; r < GROUP; r++) {
      for (int s = 0; s < supers; s++) {
        long block = r * rowBytes + s * 210L;
        long scales = base + scalesAt + s * 288L;
        weights.set(SHORT, scales + 256 + r * 2, source.get(SHORT, block + 208));
        for (int b = 0; b < 16; b++) {
          weights.set(BYTE, scales + b * 16 + r, source.get(BYTE, block + 192 + b));
          packBlock(
              source,
              block,
              b,
              base + s * 2048L + b * 128L + r * 4,
              base + highAt + s * 1024L + b * 64L + r * 4);
        }
      }
    }
  }

  /**
   * In the file a superblock has halves of 128 columns, and in each four runs of 32 that share
   * bytes.
   */
  private void packBlock(MemorySegment source, long block, int b, long low, long high) {
    int highs = 0;
    for (int j = 0; j < 2; j++) {
      int k = b * 16 + j * 8;
      int half = k / 128;
      int run = k / 32 & 3;
      long lows =
          source.get(LONG, block + half * 64 + (run & 1) * 32 + (k & 31)) >>> (run >> 1) * 4;
      long tops = source.get(LONG, block + 128 + half * 32 + (k & 31)) >>> run * 2;
      weights.set(INT, low + j * 64L, NibbleMatrix.paired(lows, 0x000f000f000f000fL));
      highs |= NibbleMatrix.paired(tops, 0x0003000300030003L) << 8 * j;
    }
    weights.set(INT, high, highs);
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
    for (int l = 0; l < GROUP; l += Lanes.COUNT) {
      SixBitVectors.one(
          weights,
          q0 + 4 * l,
          q1 + 4 * l,
          q0 + highAt + 4 * l,
          q1 + highAt + 4 * l,
          q0 + scalesAt + l,
          q1 + scalesAt + l,
          supers,
          x,
          c,
          tile,
          l,
          GROUP + l);
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
    int last = c + count - 1;
    for (int l = 0; l < GROUP; l += Lanes.COUNT) {
      SixBitVectors.four(
          weights,
          q0 + 4 * l,
          q1 + 4 * l,
          q0 + highAt + 4 * l,
          q1 + highAt + 4 * l,
          q0 + scalesAt + l,
          q1 + scalesAt + l,
          supers,
          x,
          c,
          c + 1,
          Math.min(c + 2, last),
          last,
          tile,
          l,
          GROUP + l);
    }
  }

  private void scalar(int group, Activations x, int c, float[] tile, int t) {
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < supers * 16; b++) {
        int dot = 0;
        for (int k = 0; k < 16; k++) {
          int pair = x.pairs[(c * supers * 16 + b) * 8 + k / 2];
          dot += quant(group, r, b * 16 + k) * ((k & 1) == 0 ? (short) pair : pair >> 16);
        }
        sum = Math.fma((float) dot, scale(group, r, b) * x.scales[c * supers * 8 + b / 2], sum);
      }
      tile[t + r] = sum;
    }
  }

  private int quant(int group, int r, int k) {
    long base = group * groupBytes;
    int word = weights.get(INT, base + k / 8 * 64L + r * 4);
    int highs = weights.get(INT, base + highAt + k / 16 * 64L + r * 4);
    int low = word >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15;
    return (low | (highs >> (k & 1) * 16 + (k / 2 & 7) * 2 & 3) << 4) - 32;
  }

  private float scale(int group, int r, int b) {
    long scales = group * groupBytes + scalesAt + b / 16 * 288L;
    float d = Half.toFloat(weights.get(SHORT, scales + 256 + r * 2));
    return d * weights.get(BYTE, scales + b % 16 * 16 + r);
  }

  @Override
  public void row(int row, float[] out, int offset) {
    for (int k = 0; k < columns; k++) {
      out[offset + k] =
          scale(row / GROUP, row % GROUP, k / 16) * quant(row / GROUP, row % GROUP, k);
    }
  }
}
