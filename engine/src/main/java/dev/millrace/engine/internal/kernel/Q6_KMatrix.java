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
 * Q6_K: weights of six bits, an 8-bit scale for each block of 16, and one more scale for each
 * superblock of 256. A superblock is stored in this order:
 *
 * <ul>
 *   <li>the scales of the superblock, 16 for each group;
 *   <li>pairs of blocks: first the one-byte scales of both blocks, 16 for each group; then, for
 *       each block and group, a vector of high bits and two vectors of low bits. A lane of the
 *       first holds the high bits of 16 columns, even ones in the low half; the low bits are as in
 *       {@link Q4_0Matrix}.
 * </ul>
 */
final class Q6_KMatrix extends TiledMatrix {
  private static final int BLOCK = 128 + 256;
  private static final int PAIR = 64 + 2 * BLOCK;
  private static final int SUPER = 64 + 8 * PAIR;

  private final int supers;

  Q6_KMatrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 256, SUPER);
    supers = columns / 256;
    packing.packGroups(rows, this::pack);
  }

  /** Where the pair of blocks lies to which block b, counted through all superblocks, belongs. */
  private long pair(int group, int b) {
    return block(group, b / 16) + 64 + b % 16 / 2 * PAIR;
  }

  /** Where the scales of block b lie. */
  private long scales(int group, int b) {
    return pair(group, b) + (b & 1) * 32 + side(group) * 16;
  }

  /** Where the high bits of block b lie; low bits follow 128 and 256 bytes on. */
  private long bits(int group, int b) {
    return pair(group, b) + 64 + (b & 1) * BLOCK + side(group) * 64;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int s = 0; s < supers; s++) {
      long halves = block(group, s) + side(group) * 32;
      for (int r = 0; r < GROUP; r++) {
        long block = r * rowBytes + s * 210L;
        weights.set(SHORT, halves + r * 2, source.get(SHORT, block + 208));
        for (int b = 0; b < 16; b++) {
          byte scale = source.get(BYTE, block + 192 + b);
          weights.set(BYTE, scales(group, s * 16 + b) + r, scale);
          packBlock(source, block, b, bits(group, s * 16 + b) + r * 4);
        }
      }
    }
  }

  /**
   * In the file a superblock has halves of 128 columns, and in each four runs of 32 that share
   * bytes.
   */
  private void packBlock(MemorySegment source, long block, int b, long lane) {
    int highs = 0;
    for (int j = 0; j < 2; j++) {
      int k = b * 16 + j * 8;
      int half = k / 128;
      int run = k / 32 & 3;
      long lowAt = block + half * 64 + (run & 1) * 32 + (k & 31);
      long lows = source.get(LONG, lowAt) >>> (run >> 1) * 4;
      long tops = source.get(LONG, block + 128 + half * 32 + (k & 31)) >>> run * 2;
      weights.set(INT, lane + 128 + j * 128, Q4_0Matrix.paired(lows, 0x000f000f000f000fL));
      highs |= Q4_0Matrix.paired(tops, 0x0003000300030003L) << 8 * j;
    }
    weights.set(INT, lane, highs);
  }

  @Override
  NativeKernels.Format nativeFormat() {
    return NativeKernels.Format.Q6_K;
  }

  @Override
  public boolean takesIntegers() {
    return true;
  }

  @Override
  void vectorTile1(long band, int lane, Activations x, int c, float[] tile) {
    Q6_KVectorKernel.x1(weights, band, lane, supers, x, c, tile);
  }

  @Override
  void vectorTile4(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile) {
    Q6_KVectorKernel.x4(weights, band, lane, supers, x, c0, c1, c2, c3, tile);
  }

  @Override
  void scalarTile(int group, Activations x, int c, float[] tile, int t) {
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < supers * 16; b++) {
        int dot = 0;
        for (int k = 0; k < 16; k++) {
          dot += weight(group, r, b, k) * x.integer(c, b * 16 + k);
        }
        sum = Math.fma((float) dot, scale(group, r, b) * x.scales[c * supers * 8 + b / 2], sum);
      }
      tile[t + r] = sum;
    }
  }

  /** Column k of block b. */
  private int weight(int group, int r, int b, int k) {
    long bits = bits(group, b) + r * 4;
    int low = Q4_0Matrix.nibble(weights.get(INT, bits + 128 + k / 8 * 128), k);
    int highs = weights.get(INT, bits);
    return (low | (highs >> (k & 1) * 16 + k / 2 * 2 & 3) << 4) - 32;
  }

  private float scale(int group, int r, int b) {
    long half = block(group, b / 16) + side(group) * 32 + r * 2;
    return HalfFloat.toFloat(weights.get(SHORT, half)) * weights.get(BYTE, scales(group, b) + r);
  }

  @Override
  public void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      out[offset + k] = scale(group, r, k / 16) * weight(group, r, k / 16, k % 16);
    }
  }
}
