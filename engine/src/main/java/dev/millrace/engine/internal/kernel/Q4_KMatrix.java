package dev.millrace.engine.internal.kernel;

import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Q4_K: weights of four bits; a 6-bit scale and a 6-bit minimum for 32 of them; two scales for
 * those of a superblock of 256. That has 16 scales of scales for each group and 16 of minima; then,
 * block by block, vectors as in {@link Q4_0Matrix}, 16 scales of a byte for each group and 16
 * minima.
 */
final class Q4_KMatrix extends TiledMatrix {
  private static final BlockFormat.Codes CODES = BlockFormat.Q4_K.codes;
  private static final int BLOCK = 512 + 64;

  Q4_KMatrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 256, 128 + 8 * BLOCK);
    packing.packGroups(rows, nativeOr(this::pack));
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int k = 0; k < columns; k += 32) {
      int run = k % 256 / 32;
      long to = quants(group, k);
      for (int r = 0; r < GROUP; r++) {
        long from = r * rowBytes + k / 256 * 144L;
        for (int j = 0; j < 4; j++) {
          long codes = CODES.read(source, from, run * 32 + j * 8);
          weights.set(INT, to + r * 4 + j * 128, paired(codes, LOW_BITS));
        }
        long bytes = bytes(group, k) + r;
        weights.set(BYTE, bytes, (byte) BlockFormat.Q4_K.scale(source, from, run));
        weights.set(BYTE, bytes + 32, (byte) BlockFormat.Q4_K.minimum(source, from, run));
        long halves = halves(group, k) + r * 2;
        weights.set(SHORT, halves, source.get(SHORT, from));
        weights.set(SHORT, halves + 64, source.get(SHORT, from + 2));
      }
    }
  }

  /** Where the scales of scales lie; those of minima follow 64 bytes on. */
  private long halves(int group, int k) {
    return block(group, k) + side(group) * 32;
  }

  /** Where the lanes with column k lie. */
  private long quants(int group, int k) {
    return block(group, k) + 128 + k % 256 / 32 * BLOCK + k % 32 / 8 * 128 + side(group) * 64;
  }

  /** Where the scales of bytes lie; minima follow 32 bytes on. */
  private long bytes(int group, int k) {
    return block(group, k) + 128 + k % 256 / 32 * BLOCK + 512 + side(group) * 16;
  }

  @Override
  float weight(int group, int r, int k) {
    return nibble(weights.get(INT, quants(group, k) + r * 4), k);
  }

  @Override
  float scale(int group, int r, int k) {
    return half(halves(group, k) + r * 2) * weights.get(BYTE, bytes(group, k) + r);
  }

  @Override
  float minimum(int group, int r, int k) {
    return half(halves(group, k) + 64 + r * 2) * weights.get(BYTE, bytes(group, k) + 32 + r);
  }

  @Override
  boolean areMinima() {
    return true;
  }

  @Override
  void tile(int width, long band, int lane, Activations x, int c, int last, float[] tile) {
    Q4_KKernel.tile(width, weights, band, lane, x, c, last, tile);
  }

  /** As in {@link Q4_0Matrix}, with {@code scale * dot - minimum * sum} at the end of a block. */
  private static final class Template extends Lanes {
    @KernelTemplate(columns = {1, 4})
    static void tile(
        MemorySegment w, long band, int lane, Activations x, int c, int last, float[] tile) {
      int[] pairs = x.pairs;
      float[] scales = x.scales;
      float[] sums = x.sums;
      int supers = x.columns / 256;
      long q = band + 4 * lane;
      int b$c = Math.min(c + $c, last) * supers * 8;
      int p$c = b$c * 16;
      FloatVector a$r$c = FloatVector.zero(F);
      for (int s = 0; s < supers; s++) {
        FloatVector d$r = f16(w, q - 2 * lane + 32 * $r);
        FloatVector e$r = f16(w, q - 2 * lane + 64 + 32 * $r);
        q += 128;
        for (int b = 0; b < 8; b++) {
          ShortVector n$r$c = same(0);
          for (int j = 0; j < 4; j++) {
            ShortVector v$r = pairs(w, q + 64 * $r);
            if ($n == 1) { // constant shifts are faster for one column, a loop for more
              n$r$c = n$r$c.add(v$r.and((short) 15).mul(same(pairs[p$c])));
              n$r$c = n$r$c.add(v$r.lanewise(LSHR, 4).and((short) 15).mul(same(pairs[p$c + 1])));
              n$r$c = n$r$c.add(v$r.lanewise(LSHR, 8).and((short) 15).mul(same(pairs[p$c + 2])));
              n$r$c = n$r$c.add(v$r.lanewise(LSHR, 12).mul(same(pairs[p$c + 3])));
            } else {
              for (int i = 0; i < 4; i++) {
                ShortVector u$r = v$r.and((short) 15);
                {
                  ShortVector y = same(pairs[p$c + i]);
                  n$r$c = n$r$c.add(u$r.mul(y));
                }
                v$r = v$r.lanewise(LSHR, 4);
              }
            }
            p$c += 4;
            q += 128;
          }
          FloatVector f$r = int8(w, q - 3 * lane + 16 * $r).mul(d$r);
          FloatVector g$r = int8(w, q - 3 * lane + 32 + 16 * $r).mul(e$r);
          q += 64;
          {
            float dx = scales[b$c + b];
            float sum = -sums[b$c + b];
            IntVector i$r = n$r$c.reinterpretAsInts();
            a$r$c = sums(i$r).fma(f$r.mul(dx), a$r$c);
            a$r$c = g$r.fma(FloatVector.broadcast(F, sum), a$r$c);
          }
        }
        b$c += 8;
      }
      a$r$c.intoArray(tile, lane + 16 * $r + 32 * $c);
    }
  }
}
