package dev.millrace.engine.internal.sample;

/**
 * Random numbers that depend on (seed, position) alone, fixed forever: verifying a receipt draws
 * them again. Two rounds of SplitMix64's finaliser (Steele, Lea, Flood 2014, with Stafford's
 * constants), so that neighbouring seeds and positions share nothing.
 */
final class SeededRandom {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private SeededRandom() {}

  /** A multiple of 2^-53 in [0, 1). */
  static double at(long seed, long position) {
    return (mix(mix(seed + GOLDEN) + GOLDEN * (position + 1)) >>> 11) * 0x1p-53;
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
