package dev.millrace.engine.tensor;

import static dev.millrace.engine.tensor.Packing.BYTE;
import static dev.millrace.engine.tensor.Packing.INT;
import static dev.millrace.engine.tensor.Packing.LONG;
import static dev.millrace.engine.tensor.Packing.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Q4_K: weights of four bits; a 6-bit scale and a 6-bit minimum for 32 of them; two scales for
 * those of a superblock of 256. A group has, block by block, four vectors as in {@link
 * NibbleMatrix}; then, by superblock, 16 scales of scales and 16 of minima; then, block by block,
 * 16 scales and 16 minima of a byte each.
 */
final class SuperNibbleMatrix extends RowGroups {
  private final int supers;
  private final long scalesAt;
  private final long bytesAt;

  SuperNibbleMatrix(Packing packing, int rows, int columns) {
    super(packing, rows, columns, columns / 256 * (2048L + 64 + 256));
    supers = columns / 256;
    scalesAt = supers * 2048L;
    bytesAt = scalesAt + supers * 64L;
    packing.each(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long base = group * groupBytes;
    for (int r = 0; r < GROUP; r++) {
      for (int s = 0; s < supers; s++) {
        long block = r * rowBytes + s * 144L;
        weights.set(SHORT, base + scalesAt + s * 64L + r * 2, source.get(SHORT, block));
        weights.set(SHORT, base + scalesAt + s * 64L + 32 + r * 2, source.get(SHORT, block + 2));
        for (int b = 0; b < 8; b++) {
          long at = base + bytesAt + s * 256L + b * 32L + r;
          weights.set(BYTE, at, (byte) sixBits(source, block + 4, b, 0));
          weights.set(BYTE, at + 16, (byte) sixBits(source, block + 4, b, 4));
          packBlock(source, block + 16 + b / 2 * 32, b & 1, base + s * 2048L + b * 256L + r * 4);
        }
      }
    }
  }

  /**
   * Scale ({@code first} 0) or minimum (4) of block b: 12 bytes hold eight of each, the last four
   * of them in two pieces.
   */
  static int sixBits(MemorySegment source, long from, int b, int first) {
    if (b < 4) {
      return source.get(BYTE, from + first + b) & 63;
    }
    int low = source.get(BYTE, from + 4 + b) >> first & 15;
    return low | (source.get(BYTE, from + first + b - 4) >> 6 & 3) << 4;
  }

  /** 32 bytes hold a block in their low halves and the next one in their high halves. */
  private void packBlock(MemorySegment source, long from, int high, long lane) {
    for (int j = 0; j < 4; j++) {
      long bytes = source.get(LONG, from + 8 * j) >>> 4 * high;
      weights.set(INT, lane + j * 64L, NibbleMatrix.paired(bytes, 0x000f000f000f000fL));
    }
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
      SuperNibbleVectors.one(
          weights,
          q0 + 4 * l,
          q1 + 4 * l,
          q0 + scalesAt + 2 * l,
          q1 + scalesAt + 2 * l,
          q0 + bytesAt + l,
          q1 + bytesAt + l,
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
      SuperNibbleVectors.four(
          weights,
          q0 + 4 * l,
          q1 + 4 * l,
          q0 + scalesAt + 2 * l,
          q1 + scalesAt + 2 * l,
          q0 + bytesAt + l,
          q1 + bytesAt + l,
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
      for (int b = 0; b < supers * 8; b++) {
        int dot = 0;
        for (int k = 0; k < 32; k++) {
          int pair = x.pairs[(c * supers * 8 + b) * 16 + k / 2];
          dot += quant(group, r, b * 32 + k) * ((k & 1) == 0 ? (short) pair : pair >> 16);
        }
        sum = Math.fma((float) dot, scale(group, r, b) * x.scales[c * supers * 8 + b], sum);
        sum = Math.fma(minimum(group, r, b), -x.sums[c * supers * 8 + b], sum);
      }
      tile[t + r] = sum;
    }
  }

  private int quant(int group, int r, int k) {
    int word = weights.get(INT, group * groupBytes + k / 8 * 64L + r * 4);
    return word >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15;
  }

  private float scale(int group, int r, int b) {
    long base = group * groupBytes;
    float d = Half.toFloat(weights.get(SHORT, base + scalesAt + b / 8 * 64L + r * 2));
    return d * weights.get(BYTE, base + bytesAt + b * 32L + r);
  }

  private float minimum(int group, int r, int b) {
    long base = group * groupBytes;
    float d = Half.toFloat(weights.get(SHORT, base + scalesAt + b / 8 * 64L + 32 + r * 2));
    return d * weights.get(BYTE, base + bytesAt + b * 32L + 16 + r);
  }

  @Override
  public void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int b = 0; b < supers * 8; b++) {
      float scale = scale(group, r, b);
      float minimum = minimum(group, r, b);
      for (int k = b * 32; k < b * 32 + 32; k++) {
        out[offset + k] = scale * quant(group, r, k) - minimum;
      }
    }
  }
}
