package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.KvPageSize;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The reference: plain loops that define the result. */
final class ScalarAttentionKernels implements AttentionKernels {
  private final Arithmetic arithmetic = Arithmetic.of(KernelType.SCALAR);

  @Override
  public void halves(MemorySegment from, long at, int n, float[] to) {
    for (int i = 0; i < n; i++) {
      to[i] = Float.float16ToFloat(from.get(ValueLayout.JAVA_SHORT, at + 2L * i));
    }
  }

  @Override
  public void columns(MemorySegment from, long at, long scales, int dims, float[] to) {
    for (int i = 0; i < dims * KvPageSize.POSITIONS; i++) {
      float scale = from.get(ValueLayout.JAVA_FLOAT, scales + 4L * (i % KvPageSize.POSITIONS));
      to[i] = from.get(ValueLayout.JAVA_BYTE, at + i) * scale;
    }
  }

  @Override
  public void rows(
      MemorySegment from, long at, long scales, int positions, int stride, float[] to) {
    for (int i = 0; i < positions * stride; i++) {
      float scale = from.get(ValueLayout.JAVA_FLOAT, scales + 4L * (i / stride));
      to[i] = from.get(ValueLayout.JAVA_BYTE, at + i) * scale;
    }
  }

  @Override
  public void scores4(float[] q, int qo, int dims, float[] keys, float[] scores, int so) {
    for (int i = 0; i < QUAD; i++) {
      scores1(q, qo + i, dims, keys, scores, so + i * CHUNK);
    }
  }

  @Override
  public void scores1(float[] q, int qo, int dims, float[] keys, float[] scores, int so) {
    for (int p = 0; p < KvPageSize.POSITIONS; p++) {
      float sum = 0;
      for (int d = 0; d < dims; d++) {
        sum = Math.fma(q[qo + d * QUAD], keys[d * KvPageSize.POSITIONS + p], sum);
      }
      scores[so + p] = sum;
    }
  }

  @Override
  public void cap(float[] x, int xo, int n, float cap) {
    arithmetic.softcap(x, xo, n, cap);
  }

  @Override
  public float max(float[] x, int xo, int n) {
    return arithmetic.max(x, xo, n);
  }

  @Override
  public void softmaxWeights(
      float[] x, int xo, int n, float greatest, float factor, float[] sums, int so) {
    arithmetic.softmaxWeights(x, xo, n, greatest);
    for (int i = 0; i < PARTIALS; i++) {
      sums[so + i] *= factor;
    }
    for (int i = 0; i < n; i++) {
      sums[so + i % PARTIALS] += x[xo + i];
    }
  }

  @Override
  public void scale(float[] x, int xo, int n, float factor) {
    arithmetic.scale(x, xo, factor, n);
  }

  @Override
  public void outputs4(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo) {
    for (int i = 0; i < QUAD; i++) {
      outputs1(shares, po + i * CHUNK, positions, values, stride, out, oo + i * stride);
    }
  }

  @Override
  public void outputs1(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo) {
    for (int p = 0; p < positions; p++) {
      for (int d = 0; d < stride; d++) {
        out[oo + d] = Math.fma(shares[po + p], values[p * stride + d], out[oo + d]);
      }
    }
  }

  @Override
  public void halfScores4(
      float[] q, int qo, int dims, MemorySegment from, long at, float[] scores, int so) {
    float[] keys = new float[dims * KvPageSize.POSITIONS];
    halves(from, at, keys.length, keys);
    scores4(q, qo, dims, keys, scores, so);
  }

  @Override
  public void halfOutputs4(
      float[] shares,
      int po,
      int positions,
      MemorySegment from,
      long at,
      int stride,
      float[] out,
      int oo) {
    float[] values = new float[positions * stride];
    halves(from, at, values.length, values);
    outputs4(shares, po, positions, values, stride, out, oo);
  }
}
