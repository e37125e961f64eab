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
 * Products with 8-bit weights in blocks of 32 that have one scale (Q8_0). Rows sit in lanes;
 * weights become floats and meet the activations as they are: integer products of 8 bits by 8 would
 * overflow 16 bits after two, so they gain nothing. A block is summed by itself, then scaled.
 *
 * <p>Flat on purpose: see {@link Q4_0VectorKernel}.
 */
final class Q8_0VectorKernel {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;
  private static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;

  private Q8_0VectorKernel() {}

  /** The rows of a band from {@code lane} of both groups on, one column. */
  static void x1(
      MemorySegment w, long band, int lane, int blocks, Activations x, int c0, float[] tile) {
    float[] values = x.values;
    long q = band + lane;
    int p0 = c0 * blocks * 32;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < blocks; b++) {
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      for (int k = 0; k < 32; k += 4) {
        FloatVector v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 16, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 32, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 48, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 1]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 64, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 80, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 2]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        v0 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 96, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 112, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        y = FloatVector.broadcast(F, values[p0 + k + 3]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        q += 128;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 64;
      a00 = m00.fma(d0, a00);
      a10 = m10.fma(d1, a10);
      p0 += 32;
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
    float[] values = x.values;
    long q = band + lane;
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
                ByteVector.fromMemorySegment(B, w, q, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 16, LITTLE_ENDIAN)
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
        q += 32;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 64;
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

  /**
   * The same for eight columns. The sums under way are kept in the tile, as 32 vectors would be too
   * many.
   */
  static void x8(
      MemorySegment w,
      long band,
      int lane,
      int blocks,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      int c4,
      int c5,
      int c6,
      int c7,
      float[] tile) {
    float[] values = x.values;
    long q = band + lane;
    int p0 = c0 * blocks * 32;
    int p1 = c1 * blocks * 32;
    int p2 = c2 * blocks * 32;
    int p3 = c3 * blocks * 32;
    int p4 = c4 * blocks * 32;
    int p5 = c5 * blocks * 32;
    int p6 = c6 * blocks * 32;
    int p7 = c7 * blocks * 32;
    for (int t = lane; t < 256; t += 16) {
      FloatVector.zero(F).intoArray(tile, t);
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
                ByteVector.fromMemorySegment(B, w, q, LITTLE_ENDIAN)
                    .convertShape(VectorOperators.B2F, F, 0);
        FloatVector v1 =
            (FloatVector)
                ByteVector.fromMemorySegment(B, w, q + 16, LITTLE_ENDIAN)
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
        q += 32;
      }
      FloatVector d0 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      FloatVector d1 =
          ((IntVector)
                  ShortVector.fromMemorySegment(H, w, q + lane + 32, LITTLE_ENDIAN)
                      .convertShape(VectorOperators.S2I, I, 0))
              .lanewise(VectorOperators.LSHL, 13)
              .and(0x8fffe000)
              .reinterpretAsFloats()
              .mul(HalfFloat.SHIFTED);
      q += 64;
      m00.fma(d0, FloatVector.fromArray(F, tile, lane)).intoArray(tile, lane);
      m01.fma(d0, FloatVector.fromArray(F, tile, lane + 32)).intoArray(tile, lane + 32);
      m02.fma(d0, FloatVector.fromArray(F, tile, lane + 64)).intoArray(tile, lane + 64);
      m03.fma(d0, FloatVector.fromArray(F, tile, lane + 96)).intoArray(tile, lane + 96);
      m04.fma(d0, FloatVector.fromArray(F, tile, lane + 128)).intoArray(tile, lane + 128);
      m05.fma(d0, FloatVector.fromArray(F, tile, lane + 160)).intoArray(tile, lane + 160);
      m06.fma(d0, FloatVector.fromArray(F, tile, lane + 192)).intoArray(tile, lane + 192);
      m07.fma(d0, FloatVector.fromArray(F, tile, lane + 224)).intoArray(tile, lane + 224);
      m10.fma(d1, FloatVector.fromArray(F, tile, lane + 16)).intoArray(tile, lane + 16);
      m11.fma(d1, FloatVector.fromArray(F, tile, lane + 48)).intoArray(tile, lane + 48);
      m12.fma(d1, FloatVector.fromArray(F, tile, lane + 80)).intoArray(tile, lane + 80);
      m13.fma(d1, FloatVector.fromArray(F, tile, lane + 112)).intoArray(tile, lane + 112);
      m14.fma(d1, FloatVector.fromArray(F, tile, lane + 144)).intoArray(tile, lane + 144);
      m15.fma(d1, FloatVector.fromArray(F, tile, lane + 176)).intoArray(tile, lane + 176);
      m16.fma(d1, FloatVector.fromArray(F, tile, lane + 208)).intoArray(tile, lane + 208);
      m17.fma(d1, FloatVector.fromArray(F, tile, lane + 240)).intoArray(tile, lane + 240);
      p0 += 32;
      p1 += 32;
      p2 += 32;
      p3 += 32;
      p4 += 32;
      p5 += 32;
      p6 += 32;
      p7 += 32;
    }
  }
}
