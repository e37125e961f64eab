package dev.millrace.engine.pipe;

/**
 * The unit in which keys and values are kept: a page holds the same number of positions at every
 * segment.
 */
public final class Pages {
  /** Positions in a page. */
  public static final int SIZE = 32;

  private Pages() {}

  /** How many pages hold that many positions. */
  public static int holding(int positions) {
    return Math.ceilDiv(positions, SIZE);
  }
}
