package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

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
  private static final BlockFormat.Codes CODES = BlockFormat.Q6_K.codes;
  private static final int BLOCK = 128 + 256;
  private static final int PAIR = 64 + 2 * BLOCK;

  Q6_KMatrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 256, 64 + 8 * PAIR);
    packing.packGroups(rows, nativeOr(this::pack));
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int k = 0; k < columns; k += 16) {
      long bits = bits(group, k);
      long scales = scales(group, k);
      long halves = block(group, k) + side(group) * 32;
      for (int r = 0; r < GROUP; r++) {
        long from = r * rowBytes + k / 256 * 210L;
        long first = CODES.read(source, from, k % 256);
        long second = CODES.read(source, from, k % 256 + 8);
        int highs = paired(first >>> 4, HIGH_BITS) | paired(second >>> 4, HIGH_BITS) << 8;
        weights.set(INT, bits + r * 4, highs);
        weights.set(INT, bits + r * 4 + 128, paired(first, LOW_BITS));
        weights.set(INT, bits + r * 4 + 256, paired(second, LOW_BITS));
        weights.set(BYTE, scales + r, (byte) BlockFormat.Q6_K.scale(source, from, k % 256 / 16));
        weights.set(SHORT, halves + r * 2, source.get(SHORT, from + 208));
      }
    }
  }

  /** Where the pair of blocks with column k lies. */
  private long pair(int group, int k) {
    return block(group, k) + 64 + k % 256 / 32 * PAIR;
  }

  /** Where the scales of bytes lie. */
  private long scales(int group, int k) {
    return pair(group, k) + (k / 16 & 1) * 32 + side(group) * 16;
  }

  /** Where the high bits of a block lie; low bits follow 128 and 256 bytes on. */
  private long bits(int group, int k) {
    return pair(group, k) + 64 + (k / 16 & 1) * BLOCK + side(group) * 64;
  }

  @Override
  int run() {
    return 16;
  }

  @Override
  float weight(int group, int r, int k) {
    long bits = bits(group, k) + r * 4;
    int low = nibble(weights.get(INT, bits + 128 + k % 16 / 8 * 128), k);
    int high = weights.get(INT, bits) >> (k & 1) * 16 + k % 16 / 2 * 2 & 3;
    return (low | high << 4) - 32;
  }

  @Override
  float scale(int group, int r, int k) {
    return half(block(group, k) + side(group) * 32 + r * 2)
        * weights.get(BYTE, scales(group, k) + r);
  }

  @Override
  void tile(int width, long band, int lane, Activations x, int c, int last, float[] tile) {
    Q6_KKernel.tile(width, weights, band, lane, x, c, last, tile);
  }

  /**
   * As in {@link Q4_0Matrix}; the upper two bits come from a vector of their own. Sums start at -32
   * times those of the activations and may overflow on the way: in the end they fit 16 bits, 8 * 32
   * * 127.
   */
  private static final class Template extends Lanes {
    @KernelTemplate(columns = {1, 4})
    static void tile(
        MemorySegment w, long band, int lane, Activations x, int c, int last, float[] tile) {
      int[] pairs = x.pairs;
      float[] scales = x.scales;
      int[] minus32 = x.minus32;
      int supers = x.columns / 256;
      long q = band + 4 * lane;
      int b$c = Math.min(c + $c, last) * supers * 16;
      int p$c = b$c * 8;
      FloatVector a$r$c = FloatVector.zero(F);
      for (int s = 0; s < supers; s++) {
        FloatVector d$r = f16(w, q - 2 * lane + 32 * $r);
        q += 64;
        for (int b = 0; b < 16; b++) {
          q += (b & 1 ^ 1) * 64; // the scales of two blocks share a line before them
          long bytes = q - 3 * lane - 64 - (b & 1) * 352;
          FloatVector f$r = int8(w, bytes + 16 * $r).mul(d$r);
          ShortVector z$r = pairs(w, q + 64 * $r);
          q += 128;
          ShortVector start$c = same(minus32[b$c + b]);
          ShortVector n$r$c = start$c;
          for (int j = 0; j < 2; j++) {
            ShortVector v$r = pairs(w, q + 64 * $r);
            ShortVector k$r = z$r.lanewise(VectorOperators.LSHL, 4);
            for (int i = 0; i < 4; i++) {
              ShortVector u$r = v$r.and((short) 15).or(k$r.and((short) 48));
              {
                ShortVector y = same(pairs[p$c + i]);
                n$r$c = n$r$c.add(u$r.mul(y));
              }
              v$r = v$r.lanewise(VectorOperators.LSHR, 4);
              k$r = k$r.lanewise(VectorOperators.LSHR, 2);
            }
            z$r = z$r.lanewise(VectorOperators.LSHR, 8);
            p$c += 4;
            q += 128;
          }
          {
            float dx = scales[b$c + b >> 1];
            IntVector i$r = n$r$c.reinterpretAsInts();
            a$r$c = sums(i$r).fma(f$r.mul(dx), a$r$c);
          }
        }
        b$c += 16;
      }
      a$r$c.intoArray(tile, lane + 16 * $r + 32 * $c);
    }
  }
}
