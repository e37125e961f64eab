package dev.millrace.engine.api;

/**
 * How keys and values are kept. What is not finite never gets into the cache: it saturates at the
 * greatest value, NaN becomes 0; so what an earlier owner left in a page cannot spoil what a later
 * one computes beside it.
 */
public enum KvType {
  /** As they are: for tests, and for encoders, whose cache lives for one turn. */
  F32(4, 0),

  /** Half precision, rounded to nearest even. */
  F16(2, 0),

  /**
   * 8-bit integers with one float scale for each position and head: scale = greatest magnitude /
   * 127, q = the integer nearest to x / scale, the even one of two.
   */
  Q8(1, 4);

  public final int elementBytes;
  public final int scaleBytes;

  KvType(int elementBytes, int scaleBytes) {
    this.elementBytes = elementBytes;
    this.scaleBytes = scaleBytes;
  }
}
