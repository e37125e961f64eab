package dev.millrace.engine.internal.math;

/**
 * SiLU and GELU in one formula, x / (1 + exp(slope (x + cube x³))): with slope -1 and cube 0 it is
 * silu; with slope -2 sqrt(2/pi) and cube 0.044715 it is 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715
 * x³))), because 1 + tanh(u) = 2 / (1 + exp(-2u)), which loses nothing where tanh is near -1. One
 * formula, so that the vector kernel exists once.
 */
public final class SiluGelu {
  public static final float SILU_CUBE = 0;
  public static final float SILU_SLOPE = -1;
  public static final float GELU_CUBE = 0.044715f;
  public static final float GELU_SLOPE = -1.5957691216f;

  private SiluGelu() {}

  static float of(float x, float cube, float slope) {
    return x / (1 + FloatExp.of(Math.fma(x * cube * x, x, x) * slope));
  }
}
