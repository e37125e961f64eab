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
 * Products with weights that are floats of 16 or 32 bits, for few columns: two vectors of rows, one
 * column or four, which are 32 floats apart in the tile. 32 columns are summed by themselves, then
 * added, exactly as in {@link PanelVectorKernel}.
 */
final class FloatVectorKernel {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;

  private FloatVectorKernel() {}

  static void f16x1(
      MemorySegment w, long q0, long q1, Activations x, int c0, float[] tile, int t0, int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q0, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 13)
                .and(0x8fffe000)
                .reinterpretAsFloats()
                .mul(HalfFloat.SHIFTED);
        FloatVector v1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q1, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 13)
                .and(0x8fffe000)
                .reinterpretAsFloats()
                .mul(HalfFloat.SHIFTED);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        q0 += 32;
        q1 += 32;
      }
      a00 = a00.add(m00);
      a10 = a10.add(m10);
    }
    a00.intoArray(tile, t0);
    a10.intoArray(tile, t1);
  }

  static void f16x4(
      MemorySegment w,
      long q0,
      long q1,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile,
      int t0,
      int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    int p1 = c1 * columns;
    int p2 = c2 * columns;
    int p3 = c3 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q0, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 13)
                .and(0x8fffe000)
                .reinterpretAsFloats()
                .mul(HalfFloat.SHIFTED);
        FloatVector v1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q1, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 13)
                .and(0x8fffe000)
                .reinterpretAsFloats()
                .mul(HalfFloat.SHIFTED);
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
        q0 += 32;
        q1 += 32;
      }
      a00 = a00.add(m00);
      a01 = a01.add(m01);
      a02 = a02.add(m02);
      a03 = a03.add(m03);
      a10 = a10.add(m10);
      a11 = a11.add(m11);
      a12 = a12.add(m12);
      a13 = a13.add(m13);
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

  static void bf16x1(
      MemorySegment w, long q0, long q1, Activations x, int c0, float[] tile, int t0, int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q0, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 16)
                .reinterpretAsFloats();
        FloatVector v1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q1, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 16)
                .reinterpretAsFloats();
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        q0 += 32;
        q1 += 32;
      }
      a00 = a00.add(m00);
      a10 = a10.add(m10);
    }
    a00.intoArray(tile, t0);
    a10.intoArray(tile, t1);
  }

  static void bf16x4(
      MemorySegment w,
      long q0,
      long q1,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile,
      int t0,
      int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    int p1 = c1 * columns;
    int p2 = c2 * columns;
    int p3 = c3 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q0, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 16)
                .reinterpretAsFloats();
        FloatVector v1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(H, w, q1, LITTLE_ENDIAN)
                        .convertShape(VectorOperators.S2I, I, 0))
                .lanewise(VectorOperators.LSHL, 16)
                .reinterpretAsFloats();
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
        q0 += 32;
        q1 += 32;
      }
      a00 = a00.add(m00);
      a01 = a01.add(m01);
      a02 = a02.add(m02);
      a03 = a03.add(m03);
      a10 = a10.add(m10);
      a11 = a11.add(m11);
      a12 = a12.add(m12);
      a13 = a13.add(m13);
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

  static void f32x1(
      MemorySegment w, long q0, long q1, Activations x, int c0, float[] tile, int t0, int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 = FloatVector.fromMemorySegment(F, w, q0, LITTLE_ENDIAN);
        FloatVector v1 = FloatVector.fromMemorySegment(F, w, q1, LITTLE_ENDIAN);
        FloatVector y = FloatVector.broadcast(F, values[p0 + k]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        q0 += 64;
        q1 += 64;
      }
      a00 = a00.add(m00);
      a10 = a10.add(m10);
    }
    a00.intoArray(tile, t0);
    a10.intoArray(tile, t1);
  }

  static void f32x4(
      MemorySegment w,
      long q0,
      long q1,
      Activations x,
      int c0,
      int c1,
      int c2,
      int c3,
      float[] tile,
      int t0,
      int t1) {
    float[] values = x.values;
    int columns = x.columns;
    int p0 = c0 * columns;
    int p1 = c1 * columns;
    int p2 = c2 * columns;
    int p3 = c3 * columns;
    FloatVector a00 = FloatVector.zero(F);
    FloatVector a01 = FloatVector.zero(F);
    FloatVector a02 = FloatVector.zero(F);
    FloatVector a03 = FloatVector.zero(F);
    FloatVector a10 = FloatVector.zero(F);
    FloatVector a11 = FloatVector.zero(F);
    FloatVector a12 = FloatVector.zero(F);
    FloatVector a13 = FloatVector.zero(F);
    for (int b = 0; b < columns; b += 32) {
      int end = Math.min(b + 32, columns);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      for (int k = b; k < end; k++) {
        FloatVector v0 = FloatVector.fromMemorySegment(F, w, q0, LITTLE_ENDIAN);
        FloatVector v1 = FloatVector.fromMemorySegment(F, w, q1, LITTLE_ENDIAN);
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
        q0 += 64;
        q1 += 64;
      }
      a00 = a00.add(m00);
      a01 = a01.add(m01);
      a02 = a02.add(m02);
      a03 = a03.add(m03);
      a10 = a10.add(m10);
      a11 = a11.add(m11);
      a12 = a12.add(m12);
      a13 = a13.add(m13);
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
