package dev.millrace.engine.internal.pipe;

/**
 * The unit in which keys and values are kept: a page holds the same number of positions at every
 * segment.
 */
public final class KvPages {
  /** Positions in a page. */
  public static final int SIZE = 32;

  private KvPages() {}

  /** How many pages hold that many positions. */
  public static int countFor(int positions) {
    return Math.ceilDiv(positions, SIZE);
  }
}
