package dev.millrace.engine.internal.math;

/**
 * Sine and cosine in double precision, within about an ulp. Multiplications and additions in one
 * fixed order give the same bits everywhere; StrictMath does too, but allocates an array for every
 * angle beyond a quarter turn.
 */
final class SinCos {
  private static final double QUARTERS = 2 / Math.PI;

  /** A quarter turn: the nearest double, and what is missing in it. */
  private static final double QUARTER = 0x1.921fb54442d18p0;

  private static final double REST = 0x1.1a62633145c07p-54;

  private SinCos() {}

  /** Of any angle below 2^31. */
  static double sin(double angle) {
    return quarter(angle, 0);
  }

  /** Of any angle below 2^31. */
  static double cos(double angle) {
    return quarter(angle, 1);
  }

  /** The sine of the angle and some quarter turns. */
  private static double quarter(double angle, int turns) {
    double count = Math.rint(angle * QUARTERS);
    // Exact: both are multiples of one small enough power of two, and their difference is less than
    // 1.
    double near = Math.fma(-count, QUARTER, angle);
    double x = Math.fma(-count, REST, near);
    int at = (int) count + turns & 3;
    double value = (at & 1) == 0 ? nearSine(x) : nearCosine(x);
    return at < 2 ? value : -value;
  }

  /** Up to an eighth of a turn either way: Taylor's series, whose next term is less than 1e-18. */
  private static double nearSine(double x) {
    double z = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = Math.fma(sum, z, -1.0 / 1307674368000.0);
    sum = Math.fma(sum, z, 1.0 / 6227020800.0);
    sum = Math.fma(sum, z, -1.0 / 39916800.0);
    sum = Math.fma(sum, z, 1.0 / 362880.0);
    sum = Math.fma(sum, z, -1.0 / 5040.0);
    sum = Math.fma(sum, z, 1.0 / 120.0);
    sum = Math.fma(sum, z, -1.0 / 6.0);
    return Math.fma(x * z, sum, x);
  }

  private static double nearCosine(double x) {
    double z = x * x;
    double sum = 1.0 / 20922789888000.0;
    sum = Math.fma(sum, z, -1.0 / 87178291200.0);
    sum = Math.fma(sum, z, 1.0 / 479001600.0);
    sum = Math.fma(sum, z, -1.0 / 3628800.0);
    sum = Math.fma(sum, z, 1.0 / 40320.0);
    sum = Math.fma(sum, z, -1.0 / 720.0);
    sum = Math.fma(sum, z, 1.0 / 24.0);
    sum = Math.fma(sum, z, -0.5);
    return Math.fma(sum, z, 1);
  }
}
