package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.math.Arithmetic;
import org.jspecify.annotations.Nullable;

/**
 * A norm with its weights: root mean square, or, with {@link ArchitectureTrait#LAYER_NORM}, mean
 * and variance.
 */
public final class Norm {
  private final Arithmetic arithmetic;
  private final boolean layerNorm;
  private final float[] weight; // (width)
  private final float @Nullable [] bias; // (width)
  private final float epsilon;

  public Norm(
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

  /** Normalises as many numbers as there are weights; {@code out} may be {@code x}. */
  public void apply(float[] x, int from, float[] out, int to) {
    if (layerNorm) {
      arithmetic.layerNorm(x, from, weight, bias, epsilon, weight.length, out, to);
    } else {
      arithmetic.rmsNorm(x, from, weight, epsilon, weight.length, out, to);
    }
  }
}
