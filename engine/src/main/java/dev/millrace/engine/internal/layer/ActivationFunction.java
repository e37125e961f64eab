package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.math.Arithmetic;

/** The activation function of a feed-forward network. */
final class ActivationFunction {
  private final Arithmetic arithmetic;
  private final boolean gelu;

  ActivationFunction(Arithmetic arithmetic, boolean gelu) {
    this.arithmetic = arithmetic;
    this.gelu = gelu;
  }

  /** {@code gate = f(gate) * up} */
  void gated(float[] gate, int gateOffset, float[] up, int upOffset, int n) {
    if (gelu) {
      arithmetic.geluTanhMul(gate, gateOffset, up, upOffset, n);
    } else {
      arithmetic.siluMul(gate, gateOffset, up, upOffset, n);
    }
  }

  /** {@code x = f(x)}; without a gate there is only GELU. */
  void plain(float[] x, int offset, int n) {
    if (!gelu) {
      throw new IllegalStateException("no architecture has SiLU without a gate");
    }
    arithmetic.geluTanh(x, offset, n);
  }
}
