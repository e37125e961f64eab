package dev.millrace.engine.internal.math;

import org.jspecify.annotations.Nullable;

/** The reference: every other implementation must give the same bits. */
final class ScalarArithmetic implements Arithmetic {
  /** Element i of a row belongs to partial sum i mod 16. */
  static final int PARTIALS = 16;

  /** 1 / sqrt(2) */
  static final float ROOT_HALF = 0.70710678118f;

  @Override
  public void rmsNorm(float[] x, int xo, float[] weight, float eps, int n, float[] out, int oo) {
    float factor = inverseDeviation(squares(x, xo, n, 0, 0, 1), eps, n);
    for (int i = 0; i < n; i++) {
      out[oo + i] = x[xo + i] * factor * weight[i];
    }
  }

  @Override
  public void layerNorm(
      float[] x,
      int xo,
      float[] weight,
      float @Nullable [] bias,
      float eps,
      int n,
      float[] out,
      int oo) {
    float mean = sum(x, xo, n, 0, 1) / n;
    float factor = inverseDeviation(squares(x, xo, n, mean, 0, 1), eps, n);
    for (int i = 0; i < n; i++) {
      float unit = (x[xo + i] - mean) * factor;
      out[oo + i] = bias == null ? unit * weight[i] : Math.fma(unit, weight[i], bias[i]);
    }
  }

  /** 1 / sqrt(squares / n + eps): the square root is exact by definition, so all widths agree. */
  static float inverseDeviation(float squares, float eps, int n) {
    return 1 / (float) Math.sqrt(squares / n + eps);
  }

  /** The sum of the elements first, first + step, …: from 16 partial sums, pairwise. */
  static float sum(float[] x, int xo, int n, int first, int step) {
    if (step < PARTIALS) {
      return sum(x, xo, n, first, 2 * step) + sum(x, xo, n, first + step, 2 * step);
    }
    float sum = 0;
    for (int i = first; i < n; i += step) {
      sum += x[xo + i];
    }
    return sum;
  }

  /** The same for (x - centre)². */
  static float squares(float[] x, int xo, int n, float centre, int first, int step) {
    if (step < PARTIALS) {
      return squares(x, xo, n, centre, first, 2 * step)
          + squares(x, xo, n, centre, first + step, 2 * step);
    }
    float sum = 0;
    for (int i = first; i < n; i += step) {
      float d = x[xo + i] - centre;
      sum = Math.fma(d, d, sum);
    }
    return sum;
  }

  @Override
  public void add(float[] acc, int ao, float[] x, int xo, int n) {
    for (int i = 0; i < n; i++) {
      acc[ao + i] += x[xo + i];
    }
  }

  @Override
  public void addScaled(float[] acc, int ao, float[] x, int xo, float factor, int n) {
    for (int i = 0; i < n; i++) {
      acc[ao + i] = Math.fma(factor, x[xo + i], acc[ao + i]);
    }
  }

  @Override
  public void multiply(float[] acc, int ao, float[] x, int xo, int n) {
    for (int i = 0; i < n; i++) {
      acc[ao + i] *= x[xo + i];
    }
  }

  @Override
  public void scale(float[] x, int xo, float factor, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] *= factor;
    }
  }

  @Override
  public void siluMul(float[] gate, int go, float[] up, int uo, int n) {
    gate(gate, go, n, SiluGelu.SILU_CUBE, SiluGelu.SILU_SLOPE);
    multiply(gate, go, up, uo, n);
  }

  @Override
  public void geluTanhMul(float[] gate, int go, float[] up, int uo, int n) {
    geluTanh(gate, go, n);
    multiply(gate, go, up, uo, n);
  }

  @Override
  public void geluTanh(float[] x, int xo, int n) {
    gate(x, xo, n, SiluGelu.GELU_CUBE, SiluGelu.GELU_SLOPE);
  }

  static void gate(float[] x, int xo, int n, float cube, float slope) {
    for (int i = 0; i < n; i++) {
      x[xo + i] = SiluGelu.of(x[xo + i], cube, slope);
    }
  }

  @Override
  public void geluErf(float[] x, int xo, int n) {
    for (int i = 0; i < n; i++) {
      float v = x[xo + i];
      x[xo + i] = 0.5f * v * (1 + Erf.of(v * ROOT_HALF));
    }
  }

  @Override
  public void softcap(float[] x, int xo, int n, float cap) {
    for (int i = 0; i < n; i++) {
      x[xo + i] = Tanh.of(x[xo + i] / cap) * cap;
    }
  }

  @Override
  public void softmax(float[] x, int xo, int n) {
    softmaxWeights(x, xo, n, max(x, xo, n));
    float sum = sum(x, xo, n, 0, 1);
    for (int i = 0; i < n; i++) {
      x[xo + i] /= sum;
    }
  }

  @Override
  public void softmaxWeights(float[] x, int xo, int n, float greatest) {
    for (int i = 0; i < n; i++) {
      x[xo + i] = FloatExp.share(x[xo + i] - greatest);
    }
  }

  @Override
  public float max(float[] x, int xo, int n) {
    float max = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < n; i++) {
      max = x[xo + i] > max ? x[xo + i] : max;
    }
    return max + 0f; // -0 becomes 0: which of two zeros came first must not matter
  }
}
