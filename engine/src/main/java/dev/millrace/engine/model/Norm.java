package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import org.jspecify.annotations.Nullable;

/**
 * A norm with its weights: root mean square, or, with {@link Trait#LAYER_NORM}, mean and variance.
 */
final class Norm {
  private final Arithmetic arithmetic;
  private final boolean layerNorm;
  private final float[] weight; // (width)
  private final float @Nullable [] bias; // (width)
  private final float epsilon;

  Norm(
      Arithmetic arithmetic,
      boolean layerNorm,
      float[] weight,
      float @Nullable [] bias,
      float epsilon) {
    this.arithmetic = arithmetic;
    this.layerNorm = layerNorm;
    this.weight = weight;
    this.bias = bias;
    this.epsilon = epsilon;
  }

  /** Norms as many numbers as there are weights; {@code out} may be {@code x}. */
  void apply(float[] x, int from, float[] out, int to) {
    if (layerNorm) {
      arithmetic.layerNorm(x, from, weight, bias, epsilon, weight.length, out, to);
    } else {
      arithmetic.rmsNorm(x, from, weight, epsilon, weight.length, out, to);
    }
  }
}
