package dev.millrace.cli.terminal;

/** Makes text from outside safe to print: nothing in it controls the terminal. */
public final class SanitizedText {
  /** Emoji are composed with it. */
  private static final char ZERO_WIDTH_JOINER = '\u200d';

  private SanitizedText() {}

  /** The text on one line, at most {@code most} characters. */
  public static String line(String text, int most) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), most));
    for (int i = 0; i < text.length(); i++) {
      if (out.length() >= most - 1 && i < text.length() - 1) {
        return out.append('…').toString();
      }
      char c = text.charAt(i);
      out.append(isUnsafe(c) ? ' ' : c);
    }
    return out.toString();
  }

  /** Control characters, line separators, and those that change the direction of what follows. */
  private static boolean isUnsafe(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      case Character.FORMAT -> c != ZERO_WIDTH_JOINER;
      default -> false;
    };
  }
}
