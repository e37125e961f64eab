package dev.millrace.http.limits;

/**
 * Estimates from a JSON text how much memory its parsed objects will take, besides its characters.
 * An empty list, for example, is two bytes of text and many times as much in memory.
 */
public final class ParsedJsonSize {
  /** The object of a value and the reference to it. */
  private static final int VALUE = 64;

  /** A name's object and its entry in a map. */
  private static final int NAME = 96;

  private ParsedJsonSize() {}

  /** Of the first {@code size} bytes. */
  public static long of(byte[] json, int size) {
    long cost = VALUE;
    boolean quoted = false;
    for (int i = 0; i < size; i++) {
      switch (json[i]) {
        case '"' -> quoted = !quoted;
        case '\\' -> i++; // in valid JSON, only within quotes
        case '[', '{', ',' -> cost += quoted ? 0 : VALUE;
        case ':' -> cost += quoted ? 0 : NAME;
        default -> {}
      }
    }
    return cost;
  }
}
