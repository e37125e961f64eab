package dev.millrace.http.route;

/** Decodes percent-encoded bytes (RFC 3986, 2.1). */
final class PercentEncoding {
  private PercentEncoding() {}

  /** The byte that two hex digits at {@code at} stand for; -1 if there are none. */
  static int hex(String text, int at) {
    if (at + 2 > text.length()) {
      return -1;
    }
    int high = digit(text.charAt(at));
    int low = digit(text.charAt(at + 1));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  /** Only ASCII digits: {@link Character#digit} accepts others too. */
  private static int digit(char c) {
    return c < 128 ? Character.digit(c, 16) : -1;
  }
}
