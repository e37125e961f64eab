package dev.millrace.engine.tensor;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products with 8-bit weights in blocks of 32 that have one scale (Q8_0). Rows sit in lanes;
 * weights become floats and meet the activations as they are: integer products of 8 bits by 8 would
 * overflow 16 bits after two, so they gain nothing. A block is summed by itself, then scaled.
 *
 * <p>Flat on purpose: see {@link NibbleVectors}.
 */
final class ByteVectors {
  private static final VectorSpecies<Integer> I = Lanes.INTS;
  private static final VectorSpecies<Float> F = Lanes.FLOATS;
  private static final VectorSpecies<Short> H = Lanes.HALVES;
  private static final VectorSpecies<Byte> B = Lanes.QUARTERS;

  private ByteVectors() {}

  /**
   * Two vectors of rows, one column. Addresses are of quants and scales of the first vector's lanes
   * and the second's.
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
    float[] values = x.values;
    int p0 = c0 * blocks * 32;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      for (int k = 0; k < 32; k += 4) {
        FloatVector v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0 + 16, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1 + 16, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 1]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0 + 32, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1 + 32, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 2]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0 + 48, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1 + 48, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 3]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        q0 += 64;
        q1 += 64;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s0, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s1, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      a00 = m00.fma(d0, a00);
      a10 = m10.fma(d1, a10);
      p0 += 32;
      s0 += 32;
      s1 += 32;
    }
    a00.intoArray(tile, t0);
    a10.intoArray(tile, t1);
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
    float[] values = x.values;
    int p0 = c0 * blocks * 32;
    int p1 = c1 * blocks * 32;
    int p2 = c2 * blocks * 32;
    int p3 = c3 * blocks * 32;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      for (int k = 0; k < 32; k++) {
        FloatVector v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        y = FloatVector.broadcast(F, values[p1 + k]);
        m01 = v0.fma(y, m01);
        m11 = v1.fma(y, m11);
        y = FloatVector.broadcast(F, values[p2 + k]);
        m02 = v0.fma(y, m02);
        m12 = v1.fma(y, m12);
        y = FloatVector.broadcast(F, values[p3 + k]);
        m03 = v0.fma(y, m03);
        m13 = v1.fma(y, m13);
        q0 += 16;
        q1 += 16;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s0, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s1, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      a00 = m00.fma(d0, a00);
      a01 = m01.fma(d0, a01);
      a02 = m02.fma(d0, a02);
      a03 = m03.fma(d0, a03);
      a10 = m10.fma(d1, a10);
      a11 = m11.fma(d1, a11);
      a12 = m12.fma(d1, a12);
      a13 = m13.fma(d1, a13);
      p0 += 32;
      p1 += 32;
      p2 += 32;
      p3 += 32;
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

  /**
   * Two vectors of rows, eight columns from c on, which are 32 floats apart in the tile; the sums
   * under way are kept there, as 32 vectors would be too many.
   */
  static void eight(
      MemorySegment w,
      long q0,
      long q1,
      long s0,
      long s1,
      int blocks,
      Activations x,
      int c,
      float[] tile,
      int t0,
      int t1) {
    float[] values = x.values;
    int n = blocks * 32;
    int p0 = c * n;
    int p1 = p0 + n;
    int p2 = p1 + n;
    int p3 = p2 + n;
    int p4 = p3 + n;
    int p5 = p4 + n;
    int p6 = p5 + n;
    int p7 = p6 + n;
    for (int t = 0; t < 256; t += 32) {
      FloatVector.zero(F).intoArray(tile, t0 + t);
      FloatVector.zero(F).intoArray(tile, t1 + t);
    }
    for (int b = 0; b < blocks; b++) {
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m04 = FloatVector.zero(F);
      FloatVector m05 = FloatVector.zero(F);
      FloatVector m06 = FloatVector.zero(F);
      FloatVector m07 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      FloatVector m14 = FloatVector.zero(F);
      FloatVector m15 = FloatVector.zero(F);
      FloatVector m16 = FloatVector.zero(F);
      FloatVector m17 = FloatVector.zero(F);
      for (int k = 0; k < 32; k++) {
        FloatVector v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q0, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q1, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        y = FloatVector.broadcast(F, values[p1 + k]);
        m01 = v0.fma(y, m01);
        m11 = v1.fma(y, m11);
        y = FloatVector.broadcast(F, values[p2 + k]);
        m02 = v0.fma(y, m02);
        m12 = v1.fma(y, m12);
        y = FloatVector.broadcast(F, values[p3 + k]);
        m03 = v0.fma(y, m03);
        m13 = v1.fma(y, m13);
        y = FloatVector.broadcast(F, values[p4 + k]);
        m04 = v0.fma(y, m04);
        m14 = v1.fma(y, m14);
        y = FloatVector.broadcast(F, values[p5 + k]);
        m05 = v0.fma(y, m05);
        m15 = v1.fma(y, m15);
        y = FloatVector.broadcast(F, values[p6 + k]);
        m06 = v0.fma(y, m06);
        m16 = v1.fma(y, m16);
        y = FloatVector.broadcast(F, values[p7 + k]);
        m07 = v0.fma(y, m07);
        m17 = v1.fma(y, m17);
        q0 += 16;
        q1 += 16;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s0, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, s1, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(Half.SHIFTED);
      m00.fma(d0, FloatVector.fromArray(F, tile, t0)).intoArray(tile, t0);
      m01.fma(d0, FloatVector.fromArray(F, tile, t0 + 32)).intoArray(tile, t0 + 32);
      m02.fma(d0, FloatVector.fromArray(F, tile, t0 + 64)).intoArray(tile, t0 + 64);
      m03.fma(d0, FloatVector.fromArray(F, tile, t0 + 96)).intoArray(tile, t0 + 96);
      m04.fma(d0, FloatVector.fromArray(F, tile, t0 + 128)).intoArray(tile, t0 + 128);
      m05.fma(d0, FloatVector.fromArray(F, tile, t0 + 160)).intoArray(tile, t0 + 160);
      m06.fma(d0, FloatVector.fromArray(F, tile, t0 + 192)).intoArray(tile, t0 + 192);
      m07.fma(d0, FloatVector.fromArray(F, tile, t0 + 224)).intoArray(tile, t0 + 224);
      m10.fma(d1, FloatVector.fromArray(F, tile, t1)).intoArray(tile, t1);
      m11.fma(d1, FloatVector.fromArray(F, tile, t1 + 32)).intoArray(tile, t1 + 32);
      m12.fma(d1, FloatVector.fromArray(F, tile, t1 + 64)).intoArray(tile, t1 + 64);
      m13.fma(d1, FloatVector.fromArray(F, tile, t1 + 96)).intoArray(tile, t1 + 96);
      m14.fma(d1, FloatVector.fromArray(F, tile, t1 + 128)).intoArray(tile, t1 + 128);
      m15.fma(d1, FloatVector.fromArray(F, tile, t1 + 160)).intoArray(tile, t1 + 160);
      m16.fma(d1, FloatVector.fromArray(F, tile, t1 + 192)).intoArray(tile, t1 + 192);
      m17.fma(d1, FloatVector.fromArray(F, tile, t1 + 224)).intoArray(tile, t1 + 224);
      p0 += 32;
      p1 += 32;
      p2 += 32;
      p3 += 32;
      p4 += 32;
      p5 += 32;
      p6 += 32;
      p7 += 32;
      s0 += 32;
      s1 += 32;
    }
  }
}
