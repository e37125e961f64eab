package dev.millrace.engine.internal.math;

/**
 * tanh of floats: an odd polynomial over an even one (coefficients: Eigen, MathFunctionsImpl.h,
 * generic_fast_tanh_float). No exp, so that a vector kernel of it stays small.
 */
final class Tanh {
  /** From here on the result is almost 1. */
  static final float FAR = 7.99881172180175781f;

  static final float A1 = 4.89352455891786e-03f;
  static final float A3 = 6.37261928875436e-04f;
  static final float A5 = 1.48572235717979e-05f;
  static final float A7 = 5.12229709037114e-08f;
  static final float A9 = -8.60467152213735e-11f;
  static final float A11 = 2.00018790482477e-13f;
  static final float A13 = -2.76076847742355e-16f;
  static final float B0 = 4.89352518554385e-03f;
  static final float B2 = 2.26843463243900e-03f;
  static final float B4 = 1.18534705686654e-04f;
  static final float B6 = 1.19825839466702e-06f;

  private Tanh() {}

  /** tanh(x), within 6 ulp; NaN for NaN. */
  static float of(float x) {
    float t = x > FAR ? FAR : x;
    t = t < -FAR ? -FAR : t;
    float s = t * t;
    float p = Math.fma(s, A13, A11);
    p = Math.fma(p, s, A9);
    p = Math.fma(p, s, A7);
    p = Math.fma(p, s, A5);
    p = Math.fma(p, s, A3);
    p = Math.fma(p, s, A1);
    float q = Math.fma(s, B6, B4);
    q = Math.fma(q, s, B2);
    q = Math.fma(q, s, B0);
    return p / q * t;
  }
}
