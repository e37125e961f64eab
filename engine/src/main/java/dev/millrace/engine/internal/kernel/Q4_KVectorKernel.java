package dev.millrace.engine.internal.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products with 4-bit weights in superblocks of eight blocks of 32, each with its own scale and
 * minimum (Q4_K): as in {@link Q4_0VectorKernel}, with {@code scale * dot - minimum * sum} at the
 * end of a block.
 */
final class Q4_KVectorKernel {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> S = VectorWidth.SHORTS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;
  private static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;

  private Q4_KVectorKernel() {}

  /** The rows of a band from {@code lane} of both groups on, one column. */
  static void x1(
      MemorySegment w, long band, int lane, int supers, Activations x, int c0, float[] tile) {
    int[] pairs = x.pairs;
    float[] scales = x.scales;
    float[] sums = x.sums;
    long q = band + 4 * lane;
    int p0 = c0 * supers * 128;
    int b0 = c0 * supers * 8;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int s = 0; s < supers; s++) {
      long halves = q - 2 * lane;
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector e0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 64, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector e1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 96, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 128;
      for (int b = 0; b < 8; b++) {
        ShortVector n00 = ShortVector.zero(S);
        ShortVector n10 = ShortVector.zero(S);
        for (int j = 0; j < 4; j++) {
          ShortVector v0 =
              IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector v1 =
              IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector y = IntVector.broadcast(I, pairs[p0]).reinterpretAsShorts();
          n00 = n00.add(v0.and((short) 15).mul(y));
          n10 = n10.add(v1.and((short) 15).mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 1]).reinterpretAsShorts();
          n00 = n00.add(v0.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
          n10 = n10.add(v1.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 2]).reinterpretAsShorts();
          n00 = n00.add(v0.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
          n10 = n10.add(v1.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 3]).reinterpretAsShorts();
          n00 = n00.add(v0.lanewise(VectorOperators.LSHR, 12).mul(y));
          n10 = n10.add(v1.lanewise(VectorOperators.LSHR, 12).mul(y));
          p0 += 4;
          q += 128;
        }
        long bytes = q - 3 * lane;
        FloatVector f0 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(d0);
        FloatVector f1 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 16, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(d1);
        FloatVector g0 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 32, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(e0);
        FloatVector g1 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 48, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(e1);
        q += 64;
        float dx = scales[b0 + b];
        float sum = -sums[b0 + b];
        IntVector i0 = n00.reinterpretAsInts();
        a00 =
            ((FloatVector)
                    i0.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i0.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a00);
        a00 = g0.fma(FloatVector.broadcast(F, sum), a00);
        IntVector i1 = n10.reinterpretAsInts();
        a10 =
            ((FloatVector)
                    i1.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i1.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a10);
        a10 = g1.fma(FloatVector.broadcast(F, sum), a10);
      }
      b0 += 8;
    }
    a00.intoArray(tile, lane);
    a10.intoArray(tile, lane + 16);
  }

  /** The same for four columns, which are 32 floats apart in the tile. */
  static void x4(
      MemorySegment w,
      long band,
      int lane,
      int supers,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile) {
    int[] pairs = x.pairs;
    float[] scales = x.scales;
    float[] sums = x.sums;
    long q = band + 4 * lane;
    int p0 = c0 * supers * 128;
    int p1 = c1 * supers * 128;
    int p2 = c2 * supers * 128;
    int p3 = c3 * supers * 128;
    int b0 = c0 * supers * 8;
    int b1 = c1 * supers * 8;
    int b2 = c2 * supers * 8;
    int b3 = c3 * supers * 8;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int s = 0; s < supers; s++) {
      long halves = q - 2 * lane;
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector e0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 64, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector e1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, halves + 96, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 128;
      for (int b = 0; b < 8; b++) {
        ShortVector n00 = ShortVector.zero(S);
        ShortVector n01 = ShortVector.zero(S);
        ShortVector n02 = ShortVector.zero(S);
        ShortVector n03 = ShortVector.zero(S);
        ShortVector n10 = ShortVector.zero(S);
        ShortVector n11 = ShortVector.zero(S);
        ShortVector n12 = ShortVector.zero(S);
        ShortVector n13 = ShortVector.zero(S);
        for (int j = 0; j < 4; j++) {
          ShortVector v0 =
              IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector v1 =
              IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
          for (int i = 0; i < 4; i++) {
            ShortVector u0 = v0.and((short) 15);
            ShortVector u1 = v1.and((short) 15);
            ShortVector y = IntVector.broadcast(I, pairs[p0 + i]).reinterpretAsShorts();
            n00 = n00.add(u0.mul(y));
            n10 = n10.add(u1.mul(y));
            y = IntVector.broadcast(I, pairs[p1 + i]).reinterpretAsShorts();
            n01 = n01.add(u0.mul(y));
            n11 = n11.add(u1.mul(y));
            y = IntVector.broadcast(I, pairs[p2 + i]).reinterpretAsShorts();
            n02 = n02.add(u0.mul(y));
            n12 = n12.add(u1.mul(y));
            y = IntVector.broadcast(I, pairs[p3 + i]).reinterpretAsShorts();
            n03 = n03.add(u0.mul(y));
            n13 = n13.add(u1.mul(y));
            v0 = v0.lanewise(VectorOperators.LSHR, 4);
            v1 = v1.lanewise(VectorOperators.LSHR, 4);
          }
          p0 += 4;
          p1 += 4;
          p2 += 4;
          p3 += 4;
          q += 128;
        }
        long bytes = q - 3 * lane;
        FloatVector f0 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(d0);
        FloatVector f1 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 16, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(d1);
        FloatVector g0 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 32, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(e0);
        FloatVector g1 =
            ((FloatVector)
                    ((IntVector)
                            ByteVector.fromMemorySegment(B, w, bytes + 48, LITTLE_ENDIAN)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0))
                        .convert(VectorOperators.I2F, 0))
                .mul(e1);
        q += 64;
        IntVector i;
        float dx = scales[b0 + b];
        float sum = -sums[b0 + b];
        i = n00.reinterpretAsInts();
        a00 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a00);
        a00 = g0.fma(FloatVector.broadcast(F, sum), a00);
        i = n10.reinterpretAsInts();
        a10 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a10);
        a10 = g1.fma(FloatVector.broadcast(F, sum), a10);
        dx = scales[b1 + b];
        sum = -sums[b1 + b];
        i = n01.reinterpretAsInts();
        a01 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a01);
        a01 = g0.fma(FloatVector.broadcast(F, sum), a01);
        i = n11.reinterpretAsInts();
        a11 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a11);
        a11 = g1.fma(FloatVector.broadcast(F, sum), a11);
        dx = scales[b2 + b];
        sum = -sums[b2 + b];
        i = n02.reinterpretAsInts();
        a02 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a02);
        a02 = g0.fma(FloatVector.broadcast(F, sum), a02);
        i = n12.reinterpretAsInts();
        a12 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a12);
        a12 = g1.fma(FloatVector.broadcast(F, sum), a12);
        dx = scales[b3 + b];
        sum = -sums[b3 + b];
        i = n03.reinterpretAsInts();
        a03 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a03);
        a03 = g0.fma(FloatVector.broadcast(F, sum), a03);
        i = n13.reinterpretAsInts();
        a13 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a13);
        a13 = g1.fma(FloatVector.broadcast(F, sum), a13);
      }
      b0 += 8;
      b1 += 8;
      b2 += 8;
      b3 += 8;
    }
    a00.intoArray(tile, lane);
    a01.intoArray(tile, lane + 32);
    a02.intoArray(tile, lane + 64);
    a03.intoArray(tile, lane + 96);
    a10.intoArray(tile, lane + 16);
    a11.intoArray(tile, lane + 48);
    a12.intoArray(tile, lane + 80);
    a13.intoArray(tile, lane + 112);
  }
}
