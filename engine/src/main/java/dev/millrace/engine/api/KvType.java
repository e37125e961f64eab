package dev.millrace.engine.api;

/**
 * How the cache stores keys and values. Every stored value is finite: infinities become the largest
 * value, NaN becomes 0. So the old content of a page cannot spoil what a later owner computes
 * beside it.
 */
public enum KvType {
  /** Unchanged floats: for tests, and for encoders, whose cache lives for one batch. */
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
