package dev.millrace.engine.internal.sample;

/**
 * The exponential of numbers up to 0, with the same bits on every machine. The relative error is
 * below 1e-8, far less than the rounding of the float scores it is applied to.
 */
public final class DoubleExp {
  private static final double LOG2_E = 1.4426950408889634;
  private static final double LN2_HIGH = 6.93147180369123816490e-01; // split as in fdlibm's e_exp.c
  private static final double LN2_LOW = 1.90821492927058770002e-10;
  private static final double ROUND = 0x1.8p52;

  private DoubleExp() {}

  /** e^x for x at most 0; below -700 it is 0. */
  public static double of(double x) {
    if (!(x > -700)) {
      return 0;
    }
    // adding and subtracting 1.5 * 2^52 rounds to an integer, which then stands in the low bits
    double shifted = x * LOG2_E + ROUND;
    double k = shifted - ROUND;
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double p = 1 / 5040.0;
    p = p * r + 1 / 720.0;
    p = p * r + 1 / 120.0;
    p = p * r + 1 / 24.0;
    p = p * r + 1 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    return p * Double.longBitsToDouble((Double.doubleToRawLongBits(shifted) + 1023) << 52);
  }
}
