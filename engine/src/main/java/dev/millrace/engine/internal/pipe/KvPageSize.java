package dev.millrace.engine.internal.pipe;

/** The size of a page in the KV cache: the same number of positions at every segment. */
public final class KvPageSize {
  /** Positions in a page. */
  public static final int POSITIONS = 32;

  private KvPageSize() {}

  /** The number of pages for that many positions. */
  public static int countFor(int positions) {
    return Math.ceilDiv(positions, POSITIONS);
  }
}
