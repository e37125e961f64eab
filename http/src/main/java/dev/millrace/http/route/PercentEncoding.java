package dev.millrace.http.route;

/** Percent escapes in addresses. */
final class PercentEncoding {
  private PercentEncoding() {}

  /** The byte of two hex digits at {@code at}; -1 if they are not there. */
  static int hex(String text, int at) {
    if (at + 2 > text.length()) {
      return -1;
    }
    int high = digit(text.charAt(at));
    int low = digit(text.charAt(at + 1));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  /** {@link Character#digit} knows more digits than the ASCII ones. */
  private static int digit(char c) {
    return c < 128 ? Character.digit(c, 16) : -1;
  }
}
