package dev.millrace.engine.internal.jinja.operation;

import java.util.Locale;

/** Upper and lower case, by Python's rules. */
public final class LetterCase {
  private LetterCase() {}

  /**
   * {@code str.title}: a letter that follows no letter becomes upper case, all others lower case.
   */
  static String title(String text) {
    StringBuilder out = new StringBuilder();
    boolean inWord = false;
    for (int c : text.codePoints().toArray()) {
      out.appendCodePoint(inWord ? Character.toLowerCase(c) : Character.toTitleCase(c));
      inWord = Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
    }
    return out.toString();
  }

  /** The filter {@code title}: words begin after white space, hyphens and opening brackets only. */
  public static String titleWords(String text) {
    StringBuilder out = new StringBuilder();
    boolean inWord = false;
    for (int c : text.codePoints().toArray()) {
      boolean between = Whitespace.isSpace(c) || "-({[<".indexOf(c) >= 0;
      String letter = Character.toString(c);
      out.append(inWord ? letter.toLowerCase(Locale.ROOT) : letter.toUpperCase(Locale.ROOT));
      inWord = !between;
    }
    return out.toString();
  }

  public static String capitalize(String text) {
    if (text.isEmpty()) {
      return text;
    }
    int first = text.offsetByCodePoints(0, 1);
    return Character.toString(Character.toTitleCase(text.codePointAt(0)))
        + text.substring(first).toLowerCase(Locale.ROOT);
  }

  static String swap(String text) {
    StringBuilder out = new StringBuilder();
    for (int c : text.codePoints().toArray()) {
      String letter = Character.toString(c);
      out.append(
          Character.isUpperCase(c)
              ? letter.toLowerCase(Locale.ROOT)
              : letter.toUpperCase(Locale.ROOT));
    }
    return out.toString();
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
