package dev.millrace.engine.internal.pipe;

/** The pages of the KV cache: a page holds the same number of positions at every segment. */
public final class KvPages {
  /** Positions in a page. */
  public static final int SIZE = 32;

  private KvPages() {}

  /** The number of pages for that many positions. */
  public static int countFor(int positions) {
    return Math.ceilDiv(positions, SIZE);
  }
}
