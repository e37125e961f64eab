package dev.millrace.engine.chat.jinja;

/** Text brought to a width. */
final class Padding {
  private Padding() {}

  /**
   * Aligned '<' left, '>' right, '^' in the middle: there an odd blank goes to the left when the
   * width is odd, as in Python's {@code str.center}.
   */
  static String pad(String text, long width, String fill, char align, Budget budget) {
    long missing = width - Types.length(text);
    if (missing <= 0) {
      return text;
    }
    budget.text(width);
    long left =
        switch (align) {
          case '<' -> 0;
          case '>' -> missing;
          default -> missing / 2 + (missing & width & 1);
        };
    return fill.repeat((int) left) + text + fill.repeat((int) (missing - left));
  }
}
