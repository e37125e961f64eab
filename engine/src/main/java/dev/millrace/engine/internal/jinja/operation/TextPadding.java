package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;

/** Pads text to a width. */
public final class TextPadding {
  private TextPadding() {}

  /**
   * Aligns {@code <} left, {@code >} right, {@code ^} in the middle: an odd blank goes to the left
   * if the width is odd, as in Python's {@code str.center}.
   */
  public static PyString pad(
      PyString text, long width, PyString fill, char align, RenderBudget budget) {
    long missing = width - PyTypes.length(text);
    if (missing <= 0) {
      return text;
    }
    budget.chargeText(width);
    long left =
        switch (align) {
          case '<' -> 0;
          case '>' -> missing;
          default -> missing / 2 + (missing & width & 1);
        };
    return new PyString.Builder()
        .append(fill.repeat((int) left))
        .append(text)
        .append(fill.repeat((int) (missing - left)))
        .build();
  }
}
