package dev.millrace.engine.internal.math;

import dev.millrace.engine.api.KernelType;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a layer on rows of floats, except matrix products. Every implementation gives
 * the same bits: sums over a row go to 16 partial sums (element i to partial i mod 16, i going up),
 * which are then added pairwise (0+8, 1+9, …; 0+4, …; 0+2, 1+3; 0+1). Stateless: any thread may
 * call. Offsets say where a row starts in its array; in and out may be the same place, but must not
 * overlap otherwise.
 */
public interface Arithmetic {
  /** The arithmetic of these kernels. */
  static Arithmetic of(KernelType kernels) {
    return switch (kernels) {
      case SCALAR -> new ScalarArithmetic();
      case NATIVE -> new NativeArithmetic();
      case VECTOR -> new VectorArithmetic();
    };
  }

  /** {@code out = x / sqrt(mean(x²) + eps) * weight}; the weight has n elements from 0 on. */
  void rmsNorm(float[] x, int xo, float[] weight, float eps, int n, float[] out, int oo);

  /** {@code out = (x - mean) / sqrt(variance + eps) * weight + bias}. */
  void layerNorm(
      float[] x,
      int xo,
      float[] weight,
      float @Nullable [] bias,
      float eps,
      int n,
      float[] out,
      int oo);

  /** {@code acc += x} */
  void add(float[] acc, int ao, float[] x, int xo, int n);

  /** {@code acc = fma(factor, x, acc)} */
  void addScaled(float[] acc, int ao, float[] x, int xo, float factor, int n);

  /** {@code acc *= x} */
  void multiply(float[] acc, int ao, float[] x, int xo, int n);

  /** {@code x *= factor} */
  void scale(float[] x, int xo, float factor, int n);

  /** {@code gate = silu(gate) * up} where silu(x) = x / (1 + exp(-x)). */
  void siluMul(float[] gate, int go, float[] up, int uo, int n);

  /** {@code gate = geluTanh(gate) * up} */
  void geluTanhMul(float[] gate, int go, float[] up, int uo, int n);

  /** {@code x = 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x³)))}: what llama.cpp calls gelu. */
  void geluTanh(float[] x, int xo, int n);

  /** {@code x = 0.5 x (1 + erf(x / sqrt(2)))} */
  void geluErf(float[] x, int xo, int n);

  /** {@code x = cap * tanh(x / cap)} */
  void softcap(float[] x, int xo, int n, float cap);

  /** {@code x = exp(x - greatest)} by {@link FloatExp#share}; no x is above the greatest. */
  void softmaxWeights(float[] x, int xo, int n, float greatest);

  /**
   * {@code x = exp(x - max) / sum}, the exp being {@link FloatExp#share}. NaN if any x is NaN or
   * all are -inf.
   */
  void softmax(float[] x, int xo, int n);

  /** The greatest of the numbers among x; -inf if there is none. */
  float max(float[] x, int xo, int n);
}
