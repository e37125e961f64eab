package dev.millrace.engine.internal.math;

/**
 * exp of floats, the same on every CPU: additions, multiplications and fused multiply-adds in one
 * order. x = n ln 2 + r with |r| ≤ ln 2 / 2; exp(r) by a polynomial (coefficients: Cephes, expf.c);
 * times 2^n in two factors, so that the result may be subnormal or infinite.
 */
public final class FloatExp {
  /** Beyond these the result is infinite, or 0, for good; so that n stays small. */
  static final float HIGHEST = 89;

  static final float LOWEST = -104;

  /** Below it a share is 0. */
  static final float SMALLEST = -87;

  static final float LOG2_E = 0x1.715476p0f;

  /** ln 2 in two floats. */
  static final float LN2_HIGH = 0x1.62e43p-1f;

  static final float LN2_LOW = -0x1.05c61p-29f;

  /** Added to a small float, it leaves the nearest integer in the low bits. */
  static final float ROUNDER = 0x1.8p23f;

  static final int ROUNDER_BITS = Float.floatToRawIntBits(ROUNDER);

  static final int ONE_BITS = Float.floatToRawIntBits(1);

  static final float C7 = 1.9875691500e-4f;
  static final float C6 = 1.3981999507e-3f;
  static final float C5 = 8.3334519073e-3f;
  static final float C4 = 4.1665795894e-2f;
  static final float C3 = 1.6666665459e-1f;
  static final float C2 = 5.0000001201e-1f;

  private FloatExp() {}

  /** exp(x), within 1 ulp; 0 below -104, infinite above 88.7228, NaN for NaN. */
  public static float of(float x) {
    float c = x > HIGHEST ? HIGHEST : x;
    c = c < LOWEST ? LOWEST : c;
    float shifted = Math.fma(c, LOG2_E, ROUNDER);
    float n = shifted - ROUNDER;
    float r = Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, c));
    float p = Math.fma(C7, r, C6);
    p = Math.fma(p, r, C5);
    p = Math.fma(p, r, C4);
    p = Math.fma(p, r, C3);
    p = Math.fma(p, r, C2);
    p = Math.fma(p, r * r, r) + 1;
    int exponent = Float.floatToRawIntBits(shifted) - ROUNDER_BITS;
    int half = exponent >> 1;
    return p
        * Float.intBitsToFloat((half + 127) << 23)
        * Float.intBitsToFloat((exponent - half + 127) << 23);
  }

  /**
   * exp(x) for x ≤ 0, within 1 ulp, with 0 instead of subnormal results: 0 below -87. What a
   * softmax over many positions needs, at half the cost of {@link #of}. NaN for NaN; undefined
   * above 0.
   */
  public static float share(float x) {
    float shifted = Math.fma(x, LOG2_E, ROUNDER);
    float n = shifted - ROUNDER;
    float r = Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, x));
    float p = Math.fma(C7, r, C6);
    p = Math.fma(p, r, C5);
    p = Math.fma(p, r, C4);
    p = Math.fma(p, r, C3);
    p = Math.fma(p, r, C2);
    p = Math.fma(p, r * r, r) + 1;
    float power = Float.intBitsToFloat((Float.floatToRawIntBits(shifted) << 23) + ONE_BITS);
    return x < SMALLEST ? 0 : p * power;
  }
}
