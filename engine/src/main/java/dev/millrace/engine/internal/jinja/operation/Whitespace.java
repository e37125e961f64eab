package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.internal.jinja.value.PyString;

/**
 * White space by Python's definition ({@code str.isspace}), and its removal from the ends of a
 * text.
 */
public final class Whitespace {
  private Whitespace() {}

  public static boolean isSpace(int c) {
    return (c >= 9 && c <= 13)
        || (c >= 0x1c && c <= 0x20)
        || c == 0x85
        || c == 0xa0
        || c == 0x1680
        || (c >= 0x2000 && c <= 0x200a)
        || c == 0x2028
        || c == 0x2029
        || c == 0x202f
        || c == 0x205f
        || c == 0x3000;
  }

  /** Removes white space from both ends. */
  public static PyString strip(PyString text) {
    return stripLeft(stripRight(text));
  }

  static PyString stripLeft(PyString text) {
    int from = 0;
    while (from < text.length() && isSpace(text.text().charAt(from))) {
      from++;
    }
    return text.substring(from);
  }

  static PyString stripRight(PyString text) {
    return text.substring(0, lengthWithoutEnd(text.text()));
  }

  /** The length of a text without the white space at its end. */
  public static int lengthWithoutEnd(String text) {
    int to = text.length();
    while (to > 0 && isSpace(text.charAt(to - 1))) {
      to--;
    }
    return to;
  }

  /** Removes the characters in {@code chars} from the given ends. */
  public static PyString stripChars(PyString string, String chars, boolean left, boolean right) {
    String text = string.text();
    int from = 0;
    int to = text.length();
    while (left && from < to && chars.indexOf(text.codePointAt(from)) >= 0) {
      from += Character.charCount(text.codePointAt(from));
    }
    while (right && from < to && chars.indexOf(text.codePointBefore(to)) >= 0) {
      to -= Character.charCount(text.codePointBefore(to));
    }
    return string.substring(from, to);
  }
}
