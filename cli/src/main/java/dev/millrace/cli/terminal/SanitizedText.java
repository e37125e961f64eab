package dev.millrace.cli.terminal;

/** Makes text from outside safe to print: no control character reaches the terminal. */
public final class SanitizedText {
  private SanitizedText() {}

  /** The text on one line, at most {@code most} characters. */
  public static String line(String text, int most) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), most));
    for (int i = 0; i < text.length(); i++) {
      if (out.length() >= most - 1 && i < text.length() - 1) {
        return out.append('…').toString();
      }
      char c = text.charAt(i);
      out.append(Character.isISOControl(c) ? ' ' : c);
    }
    return out.toString();
  }
}
