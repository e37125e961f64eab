package dev.millrace.engine.internal.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products with 4-bit weights in blocks of 32 that have one scale (Q4_0). Rows sit in lanes. A lane
 * of 32 bits holds eight weights of a row, even columns in its low half, odd ones in its high half;
 * seen as 16-bit lanes, a shift and a mask give the weights of a pair of columns, and a product
 * with the pair of activations adds to both sums at once. Sixteen such products fit 16 bits: 16 * 8
 * * 127.
 *
 * <p>Flat on purpose: a call inside would be too much for the inliner, and vectors would live on
 * the heap.
 */
final class Q4_0VectorKernel {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;

  private Q4_0VectorKernel() {}

  /** The rows of a band from {@code lane} of both groups on, one column. */
  static void x1(
      MemorySegment w, long band, int lane, int blocks, Activations x, int c0, float[] tile) {
    int[] pairs = x.pairs;
    int[] minus8 = x.minus8;
    float[] scales = x.scales;
    long q = band + 4 * lane;
    int p0 = c0 * blocks * 16;
    int b0 = c0 * blocks;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      ShortVector m00 = IntVector.broadcast(I, minus8[b0 + b]).reinterpretAsShorts();
      ShortVector m10 = m00;
      for (int j = 0; j < 4; j++) {
        ShortVector v0 = IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector v1 =
            IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector y = IntVector.broadcast(I, pairs[p0]).reinterpretAsShorts();
        m00 = m00.add(v0.and((short) 15).mul(y));
        m10 = m10.add(v1.and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p0 + 1]).reinterpretAsShorts();
        m00 = m00.add(v0.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
        m10 = m10.add(v1.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p0 + 2]).reinterpretAsShorts();
        m00 = m00.add(v0.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
        m10 = m10.add(v1.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p0 + 3]).reinterpretAsShorts();
        m00 = m00.add(v0.lanewise(VectorOperators.LSHR, 12).mul(y));
        m10 = m10.add(v1.lanewise(VectorOperators.LSHR, 12).mul(y));
        p0 += 4;
        q += 128;
      }
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
      float dx = scales[b0 + b];
      IntVector i0 = m00.reinterpretAsInts();
      a00 =
          ((FloatVector)
                  i0.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i0.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d0.mul(dx), a00);
      IntVector i1 = m10.reinterpretAsInts();
      a10 =
          ((FloatVector)
                  i1.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i1.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d1.mul(dx), a10);
    }
    a00.intoArray(tile, lane);
    a10.intoArray(tile, lane + 16);
  }

  /** The same for four columns, which are 32 floats apart in the tile. */
  static void x4(
      MemorySegment w,
      long band,
      int lane,
      int blocks,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile) {
    int[] pairs = x.pairs;
    int[] minus8 = x.minus8;
    float[] scales = x.scales;
    long q = band + 4 * lane;
    int p0 = c0 * blocks * 16;
    int p1 = c1 * blocks * 16;
    int p2 = c2 * blocks * 16;
    int p3 = c3 * blocks * 16;
    int b0 = c0 * blocks;
    int b1 = c1 * blocks;
    int b2 = c2 * blocks;
    int b3 = c3 * blocks;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      ShortVector m00 = IntVector.broadcast(I, minus8[b0 + b]).reinterpretAsShorts();
      ShortVector m10 = m00;
      ShortVector m01 = IntVector.broadcast(I, minus8[b1 + b]).reinterpretAsShorts();
      ShortVector m11 = m01;
      ShortVector m02 = IntVector.broadcast(I, minus8[b2 + b]).reinterpretAsShorts();
      ShortVector m12 = m02;
      ShortVector m03 = IntVector.broadcast(I, minus8[b3 + b]).reinterpretAsShorts();
      ShortVector m13 = m03;
      for (int j = 0; j < 4; j++) {
        ShortVector v0 = IntVector.fromMemorySegment(I, w, q, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector v1 =
            IntVector.fromMemorySegment(I, w, q + 64, LITTLE_ENDIAN).reinterpretAsShorts();
        for (int i = 0; i < 4; i++) {
          ShortVector u0 = v0.and((short) 15);
          ShortVector u1 = v1.and((short) 15);
          ShortVector y = IntVector.broadcast(I, pairs[p0 + i]).reinterpretAsShorts();
          m00 = m00.add(u0.mul(y));
          m10 = m10.add(u1.mul(y));
          y = IntVector.broadcast(I, pairs[p1 + i]).reinterpretAsShorts();
          m01 = m01.add(u0.mul(y));
          m11 = m11.add(u1.mul(y));
          y = IntVector.broadcast(I, pairs[p2 + i]).reinterpretAsShorts();
          m02 = m02.add(u0.mul(y));
          m12 = m12.add(u1.mul(y));
          y = IntVector.broadcast(I, pairs[p3 + i]).reinterpretAsShorts();
          m03 = m03.add(u0.mul(y));
          m13 = m13.add(u1.mul(y));
          v0 = v0.lanewise(VectorOperators.LSHR, 4);
          v1 = v1.lanewise(VectorOperators.LSHR, 4);
        }
        p0 += 4;
        p1 += 4;
        p2 += 4;
        p3 += 4;
        q += 128;
      }
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
      IntVector i;
      float dx = scales[b0 + b];
      i = m00.reinterpretAsInts();
      a00 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d0.mul(dx), a00);
      i = m10.reinterpretAsInts();
      a10 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d1.mul(dx), a10);
      dx = scales[b1 + b];
      i = m01.reinterpretAsInts();
      a01 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d0.mul(dx), a01);
      i = m11.reinterpretAsInts();
      a11 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d1.mul(dx), a11);
      dx = scales[b2 + b];
      i = m02.reinterpretAsInts();
      a02 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d0.mul(dx), a02);
      i = m12.reinterpretAsInts();
      a12 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d1.mul(dx), a12);
      dx = scales[b3 + b];
      i = m03.reinterpretAsInts();
      a03 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d0.mul(dx), a03);
      i = m13.reinterpretAsInts();
      a13 =
          ((FloatVector)
                  i.lanewise(VectorOperators.LSHL, 16)
                      .lanewise(VectorOperators.ASHR, 16)
                      .add(i.lanewise(VectorOperators.ASHR, 16))
                      .convert(VectorOperators.I2F, 0))
              .fma(d1.mul(dx), a13);
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
