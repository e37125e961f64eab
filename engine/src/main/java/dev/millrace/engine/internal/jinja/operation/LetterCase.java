package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.internal.jinja.value.PyString;
import java.util.Locale;

/** Upper and lower case, by Python's rules. */
public final class LetterCase {
  private LetterCase() {}

  public static PyString upper(PyString text) {
    return text.inLetters(text.text().toUpperCase(Locale.ROOT));
  }

  public static PyString lower(PyString text) {
    return text.inLetters(text.text().toLowerCase(Locale.ROOT));
  }

  /**
   * {@code str.title}: a letter that follows no letter becomes upper case, all others lower case.
   */
  static PyString title(PyString string) {
    StringBuilder out = new StringBuilder();
    boolean inWord = false;
    for (int c : string.text().codePoints().toArray()) {
      out.appendCodePoint(inWord ? Character.toLowerCase(c) : Character.toTitleCase(c));
      inWord = Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
    }
    return string.inLetters(out.toString());
  }

  /** The filter {@code title}: words begin after white space, hyphens and opening brackets only. */
  public static PyString titleWords(PyString string) {
    StringBuilder out = new StringBuilder();
    boolean inWord = false;
    for (int c : string.text().codePoints().toArray()) {
      boolean between = Whitespace.isSpace(c) || "-({[<".indexOf(c) >= 0;
      String letter = Character.toString(c);
      out.append(inWord ? letter.toLowerCase(Locale.ROOT) : letter.toUpperCase(Locale.ROOT));
      inWord = !between;
    }
    return string.inLetters(out.toString());
  }

  public static PyString capitalize(PyString string) {
    String text = string.text();
    if (text.isEmpty()) {
      return string;
    }
    int first = text.offsetByCodePoints(0, 1);
    return string.inLetters(
        Character.toString(Character.toTitleCase(text.codePointAt(0)))
            + text.substring(first).toLowerCase(Locale.ROOT));
  }

  static PyString swap(PyString string) {
    StringBuilder out = new StringBuilder();
    for (int c : string.text().codePoints().toArray()) {
      String letter = Character.toString(c);
      out.append(
          Character.isUpperCase(c)
              ? letter.toLowerCase(Locale.ROOT)
              : letter.toUpperCase(Locale.ROOT));
    }
    return string.inLetters(out.toString());
  }

  public static boolean isLower(String text) {
    return text.codePoints().anyMatch(Character::isLowerCase)
        && text.codePoints().noneMatch(Character::isUpperCase);
  }

  public static boolean isUpper(String text) {
    return text.codePoints().anyMatch(Character::isUpperCase)
        && text.codePoints().noneMatch(Character::isLowerCase);
  }
}
