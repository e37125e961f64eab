package dev.millrace.engine.internal.kernel;

import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Q4_0: weights of four bits, a scale for 32 of them. A block has four times two vectors, one for
 * each group, of 16 lanes with eight weights each, even columns in the low half; then 16 scales for
 * each group.
 */
final class Q4_0Matrix extends TiledMatrix {
  private static final BlockFormat.Codes CODES = BlockFormat.Q4_0.codes;

  Q4_0Matrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 32, 2 * 256 + 2 * 32);
    packing.packGroups(rows, nativeOr(this::pack));
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int b = 0; b < columns / 32; b++) {
      for (int r = 0; r < GROUP; r++) {
        long from = r * rowBytes + b * 18L;
        long to = quants(group, b * 32) + r * 4;
        for (int j = 0; j < 4; j++) {
          weights.set(INT, to + j * 128, paired(CODES.read(source, from, 8 * j), LOW_BITS));
        }
        weights.set(SHORT, scales(group, b * 32) + r * 2, source.get(SHORT, from));
      }
    }
  }

  /** Where the lanes with column k lie. */
  private long quants(int group, int k) {
    return block(group, k) + k % 32 / 8 * 128 + side(group) * 64;
  }

  private long scales(int group, int k) {
    return block(group, k) + 512 + side(group) * 32;
  }

  @Override
  float weight(int group, int r, int k) {
    return nibble(weights.get(INT, quants(group, k) + r * 4), k) - 8;
  }

  @Override
  float scale(int group, int r, int k) {
    return half(scales(group, k) + r * 2);
  }

  @Override
  void tile(int width, long band, int lane, Activations x, int c, int last, float[] tile) {
    Q4_0Kernel.tile(width, weights, band, lane, x, c, last, tile);
  }

  /**
   * Seen as 16-bit lanes, a shift and a mask give the weights of a pair of columns, and a product
   * with the pair of activations adds to both sums at once. Sixteen such products fit 16 bits: 16 *
   * 8 * 127.
   */
  private static final class Template extends Lanes {
    @KernelTemplate(columns = {1, 4})
    static void tile(
        MemorySegment w, long band, int lane, Activations x, int c, int last, float[] tile) {
      int[] pairs = x.pairs;
      int[] minus8 = x.minus8;
      float[] scales = x.scales;
      int blocks = x.columns / 32;
      long q = band + 4 * lane;
      int b$c = Math.min(c + $c, last) * blocks;
      int p$c = b$c * 16;
      FloatVector a$r$c = FloatVector.zero(F);
      for (int b = 0; b < blocks; b++) {
        ShortVector start$c = same(minus8[b$c + b]);
        ShortVector m$r$c = start$c;
        for (int j = 0; j < 4; j++) {
          ShortVector v$r = pairs(w, q + 64 * $r);
          if ($n == 1) { // constant shifts are faster for one column, a loop for more
            m$r$c = m$r$c.add(v$r.and((short) 15).mul(same(pairs[p$c])));
            m$r$c = m$r$c.add(v$r.lanewise(LSHR, 4).and((short) 15).mul(same(pairs[p$c + 1])));
            m$r$c = m$r$c.add(v$r.lanewise(LSHR, 8).and((short) 15).mul(same(pairs[p$c + 2])));
            m$r$c = m$r$c.add(v$r.lanewise(LSHR, 12).mul(same(pairs[p$c + 3])));
          } else {
            for (int i = 0; i < 4; i++) {
              ShortVector u$r = v$r.and((short) 15);
              {
                ShortVector y = same(pairs[p$c + i]);
                m$r$c = m$r$c.add(u$r.mul(y));
              }
              v$r = v$r.lanewise(LSHR, 4);
            }
          }
          p$c += 4;
          q += 128;
        }
        FloatVector d$r = f16(w, q - 2 * lane + 32 * $r);
        q += 64;
        {
          float dx = scales[b$c + b];
          IntVector i$r = m$r$c.reinterpretAsInts();
          a$r$c = sums(i$r).fma(d$r.mul(dx), a$r$c);
        }
      }
      a$r$c.intoArray(tile, lane + 16 * $r + 32 * $c);
    }
  }
}
