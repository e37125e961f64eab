package dev.millrace.engine.internal.math;

/**
 * The error function of floats: an odd polynomial over an even one (coefficients: those of the
 * float erf of Eigen and XLA).
 */
final class Erf {
  /** From here on the result is almost 1. */
  static final float FAR = 4;

  static final float A1 = -1.60960333262415e-02f;
  static final float A3 = -2.95459980854025e-03f;
  static final float A5 = -7.34990630326855e-04f;
  static final float A7 = -5.69250639462346e-05f;
  static final float A9 = -2.10102402082508e-06f;
  static final float A11 = 2.77068142495902e-08f;
  static final float A13 = -2.72614225801306e-10f;
  static final float B0 = -1.42647390514189e-02f;
  static final float B2 = -7.37332916720468e-03f;
  static final float B4 = -1.68282697438203e-03f;
  static final float B6 = -2.13374055278905e-04f;
  static final float B8 = -1.45660718464996e-05f;

  private Erf() {}

  /** erf(x), within 6 ulp; NaN for NaN. */
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
    float q = Math.fma(s, B8, B6);
    q = Math.fma(q, s, B4);
    q = Math.fma(q, s, B2);
    q = Math.fma(q, s, B0);
    return p / q * t;
  }
}
