package dev.millrace.engine.tensor;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

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
final class NibbleVectors {
  private static final VectorSpecies<Integer> I = Lanes.INTS;
  private static final VectorSpecies<Float> F = Lanes.FLOATS;
  private static final VectorSpecies<Short> H = Lanes.HALVES;

  private NibbleVectors() {}

  /**
   * Two vectors of rows, one column: {@code tile[t0…]} and {@code tile[t1…]}. Addresses are of the
   * first vector's and the second's lanes.
   */
  static void one(
      MemorySegment w,
      long q0,
      long q1,
      long s0,
      long s1,
      int blocks,
      Activations x,
      int c0,
      float[] tile,
      int t0,
      int t1) {
    int[] pairs = x.pairs;
    int p = c0 * blocks * 16;
    int at = c0 * blocks;
    FloatVector a0 = FloatVector.zero(F);
    FloatVector a1 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      ShortVector m0 = IntVector.broadcast(I, x.minus8[at + b]).reinterpretAsShorts();
      ShortVector m1 = m0;
      for (int j = 0; j < 4; j++) {
        ShortVector v0 = IntVector.fromMemorySegment(I, w, q0, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector v1 = IntVector.fromMemorySegment(I, w, q1, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector y = IntVector.broadcast(I, pairs[p]).reinterpretAsShorts();
        m0 = m0.add(v0.and((short) 15).mul(y));
        m1 = m1.add(v1.and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p + 1]).reinterpretAsShorts();
        m0 = m0.add(v0.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
        m1 = m1.add(v1.lanewise(VectorOperators.LSHR, 4).and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p + 2]).reinterpretAsShorts();
        m0 = m0.add(v0.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
        m1 = m1.add(v1.lanewise(VectorOperators.LSHR, 8).and((short) 15).mul(y));
        y = IntVector.broadcast(I, pairs[p + 3]).reinterpretAsShorts();
        m0 = m0.add(v0.lanewise(VectorOperators.LSHR, 12).mul(y));
        m1 = m1.add(v1.lanewise(VectorOperators.LSHR, 12).mul(y));
        p += 4;
        q0 += 64;
        q1 += 64;
      }
      float dx = x.scales[at + b];
      IntVector h0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s0, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000);
      IntVector h1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s1, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000);
      FloatVector d0 = h0.reinterpretAsFloats().mul(Half.SHIFTED);
      FloatVector d1 = h1.reinterpretAsFloats().mul(Half.SHIFTED);
      IntVector i0 = m0.reinterpretAsInts();
      IntVector i1 = m1.reinterpretAsInts();
      i0 =
          i0.lanewise(VectorOperators.LSHL, 16)
              .lanewise(VectorOperators.ASHR, 16)
              .add(i0.lanewise(VectorOperators.ASHR, 16));
      i1 =
          i1.lanewise(VectorOperators.LSHL, 16)
              .lanewise(VectorOperators.ASHR, 16)
              .add(i1.lanewise(VectorOperators.ASHR, 16));
      a0 = ((FloatVector) i0.convert(VectorOperators.I2F, 0)).fma(d0.mul(dx), a0);
      a1 = ((FloatVector) i1.convert(VectorOperators.I2F, 0)).fma(d1.mul(dx), a1);
      s0 += 32;
      s1 += 32;
    }
    a0.intoArray(tile, t0);
    a1.intoArray(tile, t1);
  }

  /** Two vectors of rows, four columns, which are 32 floats apart in the tile. */
  static void four(
      MemorySegment w,
      long q0,
      long q1,
      long s0,
      long s1,
      int blocks,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile,
      int t0,
      int t1) {
    int[] pairs = x.pairs;
    int[] minus8 = x.minus8;
    float[] scales = x.scales;
    int p0 = c0 * blocks * 16;
    int p1 = c1 * blocks * 16;
    int p2 = c2 * blocks * 16;
    int p3 = c3 * blocks * 16;
    int b0 = c0 * blocks;
    int b1 = c1 * blocks;
    int b2 = c2 * blocks;
    int b3 = c3 * blocks;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = a00;
    FloatVector a02 = a00;
    FloatVector a03 = a00;
    FloatVector a10 = a00;
    FloatVector a11 = a00;
    FloatVector a12 = a00;
    FloatVector a13 = a00;
    for (int b = 0; b < blocks; b++) {
      ShortVector m00 = IntVector.broadcast(I, minus8[b0 + b]).reinterpretAsShorts();
      ShortVector m01 = IntVector.broadcast(I, minus8[b1 + b]).reinterpretAsShorts();
      ShortVector m02 = IntVector.broadcast(I, minus8[b2 + b]).reinterpretAsShorts();
      ShortVector m03 = IntVector.broadcast(I, minus8[b3 + b]).reinterpretAsShorts();
      ShortVector m10 = m00;
      ShortVector m11 = m01;
      ShortVector m12 = m02;
      ShortVector m13 = m03;
      for (int j = 0; j < 4; j++) {
        ShortVector v0 = IntVector.fromMemorySegment(I, w, q0, LITTLE_ENDIAN).reinterpretAsShorts();
        ShortVector v1 = IntVector.fromMemorySegment(I, w, q1, LITTLE_ENDIAN).reinterpretAsShorts();
        for (int i = 0; i < 4; i++) {
          ShortVector n0 = v0.and((short) 15);
          ShortVector n1 = v1.and((short) 15);
          ShortVector y = IntVector.broadcast(I, pairs[p0 + i]).reinterpretAsShorts();
          m00 = m00.add(n0.mul(y));
          m10 = m10.add(n1.mul(y));
          y = IntVector.broadcast(I, pairs[p1 + i]).reinterpretAsShorts();
          m01 = m01.add(n0.mul(y));
          m11 = m11.add(n1.mul(y));
          y = IntVector.broadcast(I, pairs[p2 + i]).reinterpretAsShorts();
          m02 = m02.add(n0.mul(y));
          m12 = m12.add(n1.mul(y));
          y = IntVector.broadcast(I, pairs[p3 + i]).reinterpretAsShorts();
          m03 = m03.add(n0.mul(y));
          m13 = m13.add(n1.mul(y));
          v0 = v0.lanewise(VectorOperators.LSHR, 4);
          v1 = v1.lanewise(VectorOperators.LSHR, 4);
        }
        p0 += 4;
        p1 += 4;
        p2 += 4;
        p3 += 4;
        q0 += 64;
        q1 += 64;
      }
      IntVector h0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s0, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000);
      IntVector h1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s1, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000);
      FloatVector d0 = h0.reinterpretAsFloats().mul(Half.SHIFTED);
      FloatVector d1 = h1.reinterpretAsFloats().mul(Half.SHIFTED);
      IntVector i = m00.reinterpretAsInts();
      float dx = scales[b0 + b];
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
      i = m01.reinterpretAsInts();
      dx = scales[b1 + b];
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
      i = m02.reinterpretAsInts();
      dx = scales[b2 + b];
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
      i = m03.reinterpretAsInts();
      dx = scales[b3 + b];
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
      s0 += 32;
      s1 += 32;
    }
    a00.intoArray(tile, t0);
    a01.intoArray(tile, t0 + 32);
    a02.intoArray(tile, t0 + 64);
    a03.intoArray(tile, t0 + 96);
    a10.intoArray(tile, t1);
    a11.intoArray(tile, t1 + 32);
    a12.intoArray(tile, t1 + 64);
    a13.intoArray(tile, t1 + 96);
  }
}
