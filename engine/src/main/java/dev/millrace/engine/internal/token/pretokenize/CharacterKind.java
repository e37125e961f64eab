package dev.millrace.engine.internal.token.pretokenize;

import java.util.Arrays;

/**
 * The kind of a character, as far as pre-tokenizers distinguish it. The values are bits of a set.
 */
public final class CharacterKind {
  static final int LETTER = 1;
  public static final int MARK = 2;
  static final int NUMBER = 4;
  public static final int PUNCTUATION = 8;
  public static final int SYMBOL = 16;
  public static final int SPACE = 32;

  /** Control characters, and all others that have no kind above. */
  public static final int OTHER = 64;

  /** Unassigned; some tokenizers treat these differently. */
  public static final int UNASSIGNED = 128;

  /**
   * The characters that Unicode 16 added, as pairs of first and last. Tokenizers know Unicode 15.1
   * (the tables of llama.cpp were made from it), so these count as unassigned here, and token ids
   * do not change with the JDK.
   */
  private static final int[] TOO_NEW = {
    0x0897, 0x0897, 0x1B4E, 0x1B4F, 0x1B7F, 0x1B7F, 0x1C89, 0x1C8A, 0x2427, 0x2429,
    0x31E4, 0x31E5, 0xA7CB, 0xA7CD, 0xA7DA, 0xA7DC, 0x105C0, 0x105F3, 0x10D40, 0x10D65,
    0x10D69, 0x10D85, 0x10D8E, 0x10D8F, 0x10EC2, 0x10EC4, 0x10EFC, 0x10EFC, 0x11380, 0x11389,
    0x1138B, 0x1138B, 0x1138E, 0x1138E, 0x11390, 0x113B5, 0x113B7, 0x113C0, 0x113C2, 0x113C2,
    0x113C5, 0x113C5, 0x113C7, 0x113CA, 0x113CC, 0x113D5, 0x113D7, 0x113D8, 0x113E1, 0x113E2,
    0x116D0, 0x116E3, 0x11BC0, 0x11BE1, 0x11BF0, 0x11BF9, 0x11F5A, 0x11F5A, 0x13460, 0x143FA,
    0x16100, 0x16139, 0x16D40, 0x16D79, 0x18CFF, 0x18CFF, 0x1CC00, 0x1CCF9, 0x1CD00, 0x1CEB3,
    0x1E5D0, 0x1E5FA, 0x1E5FF, 0x1E5FF, 0x1F8B2, 0x1F8BB, 0x1F8C0, 0x1F8C1, 0x1FA89, 0x1FA89,
    0x1FA8F, 0x1FA8F, 0x1FABE, 0x1FABE, 0x1FAC6, 0x1FAC6, 0x1FADC, 0x1FADC, 0x1FADF, 0x1FADF,
    0x1FAE9, 0x1FAE9, 0x1FBCB, 0x1FBEF
  };

  private CharacterKind() {}

  public static int of(int point) {
    if (point > Character.MAX_CODE_POINT || isTooNew(point)) {
      return UNASSIGNED;
    }
    return switch (Character.getType(point)) {
      case Character.UPPERCASE_LETTER,
          Character.LOWERCASE_LETTER,
          Character.TITLECASE_LETTER,
          Character.MODIFIER_LETTER,
          Character.OTHER_LETTER ->
          LETTER;
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK ->
          MARK;
      case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER ->
          NUMBER;
      case Character.DASH_PUNCTUATION,
          Character.START_PUNCTUATION,
          Character.END_PUNCTUATION,
          Character.CONNECTOR_PUNCTUATION,
          Character.OTHER_PUNCTUATION,
          Character.INITIAL_QUOTE_PUNCTUATION,
          Character.FINAL_QUOTE_PUNCTUATION ->
          PUNCTUATION;
      case Character.MATH_SYMBOL,
          Character.CURRENCY_SYMBOL,
          Character.MODIFIER_SYMBOL,
          Character.OTHER_SYMBOL ->
          SYMBOL;
      case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
          SPACE;
      case Character.UNASSIGNED -> UNASSIGNED;
      default -> point >= 0x09 && point <= 0x0D || point == 0x85 ? SPACE : OTHER;
    };
  }

  /** The lower-case form; a letter that is too new has none. */
  public static int lower(int point) {
    return isTooNew(point) ? point : Character.toLowerCase(point);
  }

  private static boolean isTooNew(int point) {
    if (point < TOO_NEW[0] || point > TOO_NEW[TOO_NEW.length - 1]) {
      return false;
    }
    int found = Arrays.binarySearch(TOO_NEW, point);
    return found >= 0 || (-found - 1 & 1) == 1;
  }
}
