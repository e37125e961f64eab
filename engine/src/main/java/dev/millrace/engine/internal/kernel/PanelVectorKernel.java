package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products with a panel of weights as floats: (depth, 64 rows). A block of 32 columns is summed by
 * itself, then scaled and added to the sums under way, exactly as in {@link Q8_0VectorKernel}.
 */
final class PanelVectorKernel {
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final int L = VectorWidth.COUNT;

  /** The rows that one call computes. */
  static final int ROWS = 4 * L;

  private PanelVectorKernel() {}

  /**
   * Four vectors of rows from row {@code from} of the panel on, one column; {@code sums} begins at
   * the same row.
   */
  static void x1(
      float[] panel, int from, int depth, float[] scales, float[] x, int x0, float[] sums, int s0) {
    int p = from;
    int d = from;
    for (int k = 0; k < depth; k += 32, d += WorkerScratch.HEIGHT) {
      int end = Math.min(k + 32, depth);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m20 = FloatVector.zero(F);
      FloatVector m30 = FloatVector.zero(F);
      for (int i = k; i < end; i++, p += WorkerScratch.HEIGHT) {
        FloatVector v0 = FloatVector.fromArray(F, panel, p);
        FloatVector v1 = FloatVector.fromArray(F, panel, p + L);
        FloatVector v2 = FloatVector.fromArray(F, panel, p + 2 * L);
        FloatVector v3 = FloatVector.fromArray(F, panel, p + 3 * L);
        FloatVector y = FloatVector.broadcast(F, x[x0 + i]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        m20 = v2.fma(y, m20);
        m30 = v3.fma(y, m30);
      }
      FloatVector w = FloatVector.fromArray(F, scales, d);
      m00.fma(w, FloatVector.fromArray(F, sums, s0)).intoArray(sums, s0);
      w = FloatVector.fromArray(F, scales, d + L);
      m10.fma(w, FloatVector.fromArray(F, sums, s0 + L)).intoArray(sums, s0 + L);
      w = FloatVector.fromArray(F, scales, d + 2 * L);
      m20.fma(w, FloatVector.fromArray(F, sums, s0 + 2 * L)).intoArray(sums, s0 + 2 * L);
      w = FloatVector.fromArray(F, scales, d + 3 * L);
      m30.fma(w, FloatVector.fromArray(F, sums, s0 + 3 * L)).intoArray(sums, s0 + 3 * L);
    }
  }

  /** Four vectors of rows, four columns. */
  static void x4(
      float[] panel,
      int from,
      int depth,
      float[] scales,
      float[] x,
      int x0,
      int x1,
      int x2,
      int x3,
      float[] sums,
      int s0,
      int s1,
      int s2,
      int s3) {
    int p = from;
    int d = from;
    for (int k = 0; k < depth; k += 32, d += WorkerScratch.HEIGHT) {
      int end = Math.min(k + 32, depth);
      FloatVector m00 = FloatVector.zero(F);
      FloatVector m01 = FloatVector.zero(F);
      FloatVector m02 = FloatVector.zero(F);
      FloatVector m03 = FloatVector.zero(F);
      FloatVector m10 = FloatVector.zero(F);
      FloatVector m11 = FloatVector.zero(F);
      FloatVector m12 = FloatVector.zero(F);
      FloatVector m13 = FloatVector.zero(F);
      FloatVector m20 = FloatVector.zero(F);
      FloatVector m21 = FloatVector.zero(F);
      FloatVector m22 = FloatVector.zero(F);
      FloatVector m23 = FloatVector.zero(F);
      FloatVector m30 = FloatVector.zero(F);
      FloatVector m31 = FloatVector.zero(F);
      FloatVector m32 = FloatVector.zero(F);
      FloatVector m33 = FloatVector.zero(F);
      for (int i = k; i < end; i++, p += WorkerScratch.HEIGHT) {
        FloatVector v0 = FloatVector.fromArray(F, panel, p);
        FloatVector v1 = FloatVector.fromArray(F, panel, p + L);
        FloatVector v2 = FloatVector.fromArray(F, panel, p + 2 * L);
        FloatVector v3 = FloatVector.fromArray(F, panel, p + 3 * L);
        FloatVector y = FloatVector.broadcast(F, x[x0 + i]);
        m00 = v0.fma(y, m00);
        m10 = v1.fma(y, m10);
        m20 = v2.fma(y, m20);
        m30 = v3.fma(y, m30);
        y = FloatVector.broadcast(F, x[x1 + i]);
        m01 = v0.fma(y, m01);
        m11 = v1.fma(y, m11);
        m21 = v2.fma(y, m21);
        m31 = v3.fma(y, m31);
        y = FloatVector.broadcast(F, x[x2 + i]);
        m02 = v0.fma(y, m02);
        m12 = v1.fma(y, m12);
        m22 = v2.fma(y, m22);
        m32 = v3.fma(y, m32);
        y = FloatVector.broadcast(F, x[x3 + i]);
        m03 = v0.fma(y, m03);
        m13 = v1.fma(y, m13);
        m23 = v2.fma(y, m23);
        m33 = v3.fma(y, m33);
      }
      FloatVector w = FloatVector.fromArray(F, scales, d);
      m00.fma(w, FloatVector.fromArray(F, sums, s0)).intoArray(sums, s0);
      m01.fma(w, FloatVector.fromArray(F, sums, s1)).intoArray(sums, s1);
      m02.fma(w, FloatVector.fromArray(F, sums, s2)).intoArray(sums, s2);
      m03.fma(w, FloatVector.fromArray(F, sums, s3)).intoArray(sums, s3);
      w = FloatVector.fromArray(F, scales, d + L);
      m10.fma(w, FloatVector.fromArray(F, sums, s0 + L)).intoArray(sums, s0 + L);
      m11.fma(w, FloatVector.fromArray(F, sums, s1 + L)).intoArray(sums, s1 + L);
      m12.fma(w, FloatVector.fromArray(F, sums, s2 + L)).intoArray(sums, s2 + L);
      m13.fma(w, FloatVector.fromArray(F, sums, s3 + L)).intoArray(sums, s3 + L);
      w = FloatVector.fromArray(F, scales, d + 2 * L);
      m20.fma(w, FloatVector.fromArray(F, sums, s0 + 2 * L)).intoArray(sums, s0 + 2 * L);
      m21.fma(w, FloatVector.fromArray(F, sums, s1 + 2 * L)).intoArray(sums, s1 + 2 * L);
      m22.fma(w, FloatVector.fromArray(F, sums, s2 + 2 * L)).intoArray(sums, s2 + 2 * L);
      m23.fma(w, FloatVector.fromArray(F, sums, s3 + 2 * L)).intoArray(sums, s3 + 2 * L);
      w = FloatVector.fromArray(F, scales, d + 3 * L);
      m30.fma(w, FloatVector.fromArray(F, sums, s0 + 3 * L)).intoArray(sums, s0 + 3 * L);
      m31.fma(w, FloatVector.fromArray(F, sums, s1 + 3 * L)).intoArray(sums, s1 + 3 * L);
      m32.fma(w, FloatVector.fromArray(F, sums, s2 + 3 * L)).intoArray(sums, s2 + 3 * L);
      m33.fma(w, FloatVector.fromArray(F, sums, s3 + 3 * L)).intoArray(sums, s3 + 3 * L);
    }
  }
}
