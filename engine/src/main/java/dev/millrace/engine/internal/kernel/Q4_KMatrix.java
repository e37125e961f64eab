package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.BYTE;
import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.LONG;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import java.lang.foreign.MemorySegment;

/**
 * Q4_K: weights of four bits; a 6-bit scale and a 6-bit minimum for 32 of them; two scales for
 * those of a superblock of 256. That has 16 scales of scales for each group and 16 of minima; then,
 * block by block, vectors as in {@link Q4_0Matrix}, 16 scales of a byte for each group and 16
 * minima.
 */
final class Q4_KMatrix extends TiledMatrix {
  private static final int BLOCK = 512 + 64;
  private static final int SUPER = 128 + 8 * BLOCK;

  private final int supers;

  Q4_KMatrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 256, SUPER);
    supers = columns / 256;
    packing.packGroups(rows, this::pack);
  }

  /** Where block b, counted through all superblocks, lies. */
  private long quants(int group, int b) {
    return block(group, b / 8) + 128 + b % 8 * BLOCK;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    int side = side(group);
    for (int s = 0; s < supers; s++) {
      long halves = block(group, s) + side * 32;
      for (int r = 0; r < GROUP; r++) {
        long block = r * rowBytes + s * 144L;
        weights.set(SHORT, halves + r * 2, source.get(SHORT, block));
        weights.set(SHORT, halves + 64 + r * 2, source.get(SHORT, block + 2));
        for (int b = 0; b < 8; b++) {
          long quants = quants(group, s * 8 + b);
          long bytes = quants + 512 + side * 16 + r;
          weights.set(BYTE, bytes, (byte) sixBits(source, block + 4, b, 0));
          weights.set(BYTE, bytes + 32, (byte) sixBits(source, block + 4, b, 4));
          packBlock(source, block + 16 + b / 2 * 32, b & 1, quants + side * 64 + r * 4);
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
      weights.set(INT, lane + j * 128, Q4_0Matrix.paired(bytes, 0x000f000f000f000fL));
    }
  }

  @Override
  NativeKernels.Format nativeFormat() {
    return NativeKernels.Format.Q4_K;
  }

  @Override
  public boolean takesIntegers() {
    return true;
  }

  @Override
  void vectorTile1(long band, int lane, Activations x, int c, float[] tile) {
    Q4_KVectorKernel.x1(weights, band, lane, supers, x, c, tile);
  }

  @Override
  void vectorTile4(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile) {
    Q4_KVectorKernel.x4(weights, band, lane, supers, x, c0, c1, c2, c3, tile);
  }

  @Override
  void scalarTile(int group, Activations x, int c, float[] tile, int t) {
    int blocks = supers * 8;
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < blocks; b++) {
        int dot = 0;
        for (int k = 0; k < 32; k++) {
          dot += quant(group, r, b, k) * x.integer(c, b * 32 + k);
        }
        sum = Math.fma((float) dot, scale(group, r, b) * x.scales[c * blocks + b], sum);
        sum = Math.fma(minimum(group, r, b), -x.sums[c * blocks + b], sum);
      }
      tile[t + r] = sum;
    }
  }

  private int quant(int group, int r, int b, int k) {
    long at = quants(group, b) + k / 8 * 128 + side(group) * 64 + r * 4;
    return Q4_0Matrix.nibble(weights.get(INT, at), k);
  }

  private float scale(int group, int r, int b) {
    int side = side(group);
    return nested(block(group, b / 8) + side * 32 + r * 2, quants(group, b) + 512 + side * 16 + r);
  }

  private float minimum(int group, int r, int b) {
    int side = side(group);
    return nested(
        block(group, b / 8) + 64 + side * 32 + r * 2, quants(group, b) + 544 + side * 16 + r);
  }

  private float nested(long half, long at) {
    return HalfFloat.toFloat(weights.get(SHORT, half)) * weights.get(BYTE, at);
  }

  @Override
  public void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int b = 0; b < supers * 8; b++) {
      float scale = scale(group, r, b);
      float minimum = minimum(group, r, b);
      for (int k = 0; k < 32; k++) {
        out[offset + b * 32 + k] = scale * quant(group, r, b, k) - minimum;
      }
    }
  }
}
