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
 * Products with 6-bit weights in blocks of 16 that have an 8-bit scale, sixteen of them under one
 * more scale (Q6_K). As in {@link Q4_0VectorKernel}; the upper two bits come from a vector of their
 * own. Sums start at -32 times those of the activations and may overflow on the way: in the end
 * they fit 16 bits, 8 * 32 * 127.
 */
final class Q6_KVectorKernel {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;
  private static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;

  private Q6_KVectorKernel() {}

  /** The rows of a band from {@code lane} of both groups on, one column. */
  static void x1(
      MemorySegment w, long band, int lane, int supers, Activations x, int c0, float[] tile) {
    int[] pairs = x.pairs;
    float[] scales = x.scales;
    int[] minus32 = x.minus32;
    long q = band + 4 * lane;
    int p0 = c0 * supers * 128;
    int b0 = c0 * supers * 16;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int s = 0; s < supers; s++) {
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q - 2 * lane, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q - 2 * lane + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 64;
      for (int b = 0; b < 16; b++) {
        // The scales of two blocks share a line before them.
        q += (b & 1 ^ 1) * 64;
        long bytes = q - 3 * lane - 64 - (b & 1) * 352;
        FloatVector f0 =
            ((FloatVector)
                    ByteVector.fromMemorySegment(B, w, bytes, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.B2F, F, 0))
                .mul(d0);
        FloatVector f1 =
            ((FloatVector)
                    ByteVector.fromMemorySegment(B, w, bytes + 16, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.B2F, F, 0))
                .mul(d1);
        ShortVector z0 = IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector z1 =
            IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
        q += 128;
        ShortVector n00 = IntVector.broadcast(I, minus32[b0 + b]).reinterpretAsShorts();
        ShortVector n10 = n00;
        for (int j = 0; j < 2; j++) {
          ShortVector v0 =
              IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector v1 =
              IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector y = IntVector.broadcast(I, pairs[p0]).reinterpretAsShorts();
          n00 =
              n00.add(
                  v0.and((short) 15)
                      .or(z0.lanewise(VectorOperators.LSHL, 4).and((short) 48))
                      .mul(y));
          n10 =
              n10.add(
                  v1.and((short) 15)
                      .or(z1.lanewise(VectorOperators.LSHL, 4).and((short) 48))
                      .mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 1]).reinterpretAsShorts();
          n00 =
              n00.add(
                  v0.lanewise(VectorOperators.LSHR, 4)
                      .and((short) 15)
                      .or(z0.lanewise(VectorOperators.LSHL, 2).and((short) 48))
                      .mul(y));
          n10 =
              n10.add(
                  v1.lanewise(VectorOperators.LSHR, 4)
                      .and((short) 15)
                      .or(z1.lanewise(VectorOperators.LSHL, 2).and((short) 48))
                      .mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 2]).reinterpretAsShorts();
          n00 =
              n00.add(
                  v0.lanewise(VectorOperators.LSHR, 8)
                      .and((short) 15)
                      .or(z0.and((short) 48))
                      .mul(y));
          n10 =
              n10.add(
                  v1.lanewise(VectorOperators.LSHR, 8)
                      .and((short) 15)
                      .or(z1.and((short) 48))
                      .mul(y));
          y = IntVector.broadcast(I, pairs[p0 + 3]).reinterpretAsShorts();
          n00 =
              n00.add(
                  v0.lanewise(VectorOperators.LSHR, 12)
                      .or(z0.lanewise(VectorOperators.LSHR, 2).and((short) 48))
                      .mul(y));
          n10 =
              n10.add(
                  v1.lanewise(VectorOperators.LSHR, 12)
                      .or(z1.lanewise(VectorOperators.LSHR, 2).and((short) 48))
                      .mul(y));
          z0 = z0.lanewise(VectorOperators.LSHR, 8);
          z1 = z1.lanewise(VectorOperators.LSHR, 8);
          p0 += 4;
          q += 128;
        }
        float dx = scales[b0 + b >> 1];
        IntVector i0 = n00.reinterpretAsInts();
        a00 =
            ((FloatVector)
                    i0.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i0.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a00);
        IntVector i1 = n10.reinterpretAsInts();
        a10 =
            ((FloatVector)
                    i1.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i1.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a10);
      }
      b0 += 16;
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
    int[] minus32 = x.minus32;
    long q = band + 4 * lane;
    int p0 = c0 * supers * 128;
    int p1 = c1 * supers * 128;
    int p2 = c2 * supers * 128;
    int p3 = c3 * supers * 128;
    int b0 = c0 * supers * 16;
    int b1 = c1 * supers * 16;
    int b2 = c2 * supers * 16;
    int b3 = c3 * supers * 16;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int s = 0; s < supers; s++) {
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q - 2 * lane, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q - 2 * lane + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 64;
      for (int b = 0; b < 16; b++) {
        // The scales of two blocks share a line before them.
        q += (b & 1 ^ 1) * 64;
        long bytes = q - 3 * lane - 64 - (b & 1) * 352;
        FloatVector f0 =
            ((FloatVector)
                    ByteVector.fromMemorySegment(B, w, bytes, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.B2F, F, 0))
                .mul(d0);
        FloatVector f1 =
            ((FloatVector)
                    ByteVector.fromMemorySegment(B, w, bytes + 16, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.B2F, F, 0))
                .mul(d1);
        ShortVector z0 = IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector z1 =
            IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
        q += 128;
        ShortVector n00 = IntVector.broadcast(I, minus32[b0 + b]).reinterpretAsShorts();
        ShortVector n10 = n00;
        ShortVector n01 = IntVector.broadcast(I, minus32[b1 + b]).reinterpretAsShorts();
        ShortVector n11 = n01;
        ShortVector n02 = IntVector.broadcast(I, minus32[b2 + b]).reinterpretAsShorts();
        ShortVector n12 = n02;
        ShortVector n03 = IntVector.broadcast(I, minus32[b3 + b]).reinterpretAsShorts();
        ShortVector n13 = n03;
        for (int j = 0; j < 2; j++) {
          ShortVector v0 =
              IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector v1 =
              IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
          ShortVector k0 = z0.lanewise(VectorOperators.LSHL, 4);
          ShortVector k1 = z1.lanewise(VectorOperators.LSHL, 4);
          for (int i = 0; i < 4; i++) {
            ShortVector u0 = v0.and((short) 15).or(k0.and((short) 48));
            ShortVector u1 = v1.and((short) 15).or(k1.and((short) 48));
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
            k0 = k0.lanewise(VectorOperators.LSHR, 2);
            v1 = v1.lanewise(VectorOperators.LSHR, 4);
            k1 = k1.lanewise(VectorOperators.LSHR, 2);
          }
          z0 = z0.lanewise(VectorOperators.LSHR, 8);
          z1 = z1.lanewise(VectorOperators.LSHR, 8);
          p0 += 4;
          p1 += 4;
          p2 += 4;
          p3 += 4;
          q += 128;
        }
        IntVector i;
        float dx = scales[b0 + b >> 1];
        i = n00.reinterpretAsInts();
        a00 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a00);
        i = n10.reinterpretAsInts();
        a10 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a10);
        dx = scales[b1 + b >> 1];
        i = n01.reinterpretAsInts();
        a01 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a01);
        i = n11.reinterpretAsInts();
        a11 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a11);
        dx = scales[b2 + b >> 1];
        i = n02.reinterpretAsInts();
        a02 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a02);
        i = n12.reinterpretAsInts();
        a12 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a12);
        dx = scales[b3 + b >> 1];
        i = n03.reinterpretAsInts();
        a03 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f0.mul(dx), a03);
        i = n13.reinterpretAsInts();
        a13 =
            ((FloatVector)
                    i.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 16)
                        .add(i.lanewise(VectorOperators.ASHR, 16))
                        .convert(VectorOperators.I2F, 0))
                .fma(f1.mul(dx), a13);
      }
      b0 += 16;
      b1 += 16;
      b2 += 16;
      b3 += 16;
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
