package dev.millrace.http.limits;

/**
 * What a JSON text takes in memory once it is parsed, beside its characters, told from its bytes. An
 * empty list is two bytes of text and a dozen times as much of a list.
 */
public final class ParsedJsonSize {
  /** The object of a value and the place that refers to it. */
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
        case '\\' -> i++; // only within quotes, in what is JSON at all
        case '[', '{', ',' -> cost += quoted ? 0 : VALUE;
        case ':' -> cost += quoted ? 0 : NAME;
        default -> {}
      }
    }
    return cost;
  }
}
