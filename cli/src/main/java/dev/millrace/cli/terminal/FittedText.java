package dev.millrace.cli.terminal;

/** Cuts text to the columns that it has in a terminal, where some characters take two or none. */
public final class FittedText {
  private static final int[][] WIDE = {
    {0x1100, 0x115f}, // Hangul
    {0x2e80, 0xa4cf}, // Chinese, Japanese, Yi
    {0xac00, 0xd7a3},
    {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, // full width
    {0xffe0, 0xffe6},
    {0x1f300, 0x1faff}, // emoji
    {0x20000, 0x3fffd}
  };

  private FittedText() {}

  /** The text on one line, safe to print, in at most that many columns. */
  public static String line(String text, int columns) {
    String safe = SanitizedText.line(text, Integer.MAX_VALUE);
    if (width(safe) <= columns) {
      return safe;
    }
    StringBuilder out = new StringBuilder();
    int used = 1; // the ellipsis
    for (int i = 0; i < safe.length(); i += Character.charCount(safe.codePointAt(i))) {
      int point = safe.codePointAt(i);
      used += width(point);
      if (used > columns) {
        break;
      }
      out.appendCodePoint(point);
    }
    return out.append('…').toString();
  }

  /** The columns that a text takes. */
  public static int width(String text) {
    return text.codePoints().map(FittedText::width).sum();
  }

  private static int width(int point) {
    switch (Character.getType(point)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> {
        return 0;
      }
      default -> {
        for (int[] range : WIDE) {
          if (point >= range[0] && point <= range[1]) {
            return 2;
          }
        }
        return 1;
      }
    }
  }
}
