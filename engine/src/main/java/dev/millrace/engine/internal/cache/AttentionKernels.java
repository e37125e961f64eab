package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KernelType;
import java.lang.foreign.MemorySegment;

/**
 * The inner loops of attention, over one page of one kv head. Queries come in quads. The order of
 * operations for each element:
 *
 * <ul>
 *   <li>a score is fma over dims from 0 up, starting with 0;
 *   <li>a share is exp(score - greatest); the shares of a chunk are added to 16 partial sums, that
 * of position p to partial p mod 16, positions going up;
 *   <li>an output is fma(share, value) over positions going up.
 * </ul>
 */
interface AttentionKernels {
  /** Queries in a quad. */
  int QUAD = 4;

  /**
   * Positions that go through one step of the softmax: its rescaling costs little then, and a
   * block's scores stay in the cache.
   */
  int CHUNK = 128;

  /** Partial sums of shares. */
  int PARTIALS = 16;

  static AttentionKernels of(KernelType kernels) {
    return switch (kernels) {
      case SCALAR -> new ScalarAttentionKernels();
      case VECTOR, NATIVE -> new VectorAttentionKernels();
    };
  }

  /** n halves as floats; n is a multiple of 16. */
  void halves(MemorySegment from, long at, int n, float[] to);

  /** Keys (dims, 32) as bytes with a scale for each column. */
  void columns(MemorySegment from, long at, long scales, int dims, float[] to);

  /** Values (positions, stride) as bytes with a scale for each row. */
  void rows(MemorySegment from, long at, long scales, int positions, int stride, float[] to);

  /**
   * The scores of four queries with a page's positions.
   *
   * @param q (dims, 4) from qo on
   * @param keys (dims, 32)
   * @param scores query i's go to so + i * CHUNK
   */
  void scores4(float[] q, int qo, int dims, float[] keys, float[] scores, int so);

  /** The same, with keys (dims, 32) that are halves. */
  void halfScores4(
      float[] q, int qo, int dims, MemorySegment from, long at, float[] scores, int so);

  /** The same as {@link #scores4} for the first query of the quad alone. */
  void scores1(float[] q, int qo, int dims, float[] keys, float[] scores, int so);

  /** {@code x = cap * tanh(x / cap)}; n is a multiple of 32. */
  void cap(float[] x, int xo, int n, float cap);

  /**
   * The greatest of x, never -0; n is a multiple of 32. With a NaN in x the result is undefined:
   * everything computed from x is NaN then.
   */
  float max(float[] x, int xo, int n);

  /** {@code x = share(x - greatest); sums = sums * factor + x}; n is a multiple of 32. */
  void softmaxWeights(float[] x, int xo, int n, float greatest, float factor, float[] sums, int so);

  /** {@code x *= factor}; n is a multiple of 16. */
  void scale(float[] x, int xo, int n, float factor);

  /**
   * Adds the values of some positions, weighted with four queries' shares.
   *
   * @param shares query i's from po + i * CHUNK on
   * @param values (positions, stride)
   * @param out query i's from oo + i * stride on
   */
  void outputs4(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo);

  /** The same, with values that are halves; the stride is a multiple of 32. */
  void halfOutputs4(
      float[] shares,
      int po,
      int positions,
      MemorySegment from,
      long at,
      int stride,
      float[] out,
      int oo);

  /** The same as {@link #outputs4} for the first query alone. */
  void outputs1(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo);
}
