package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.token.Vocabulary;
import java.util.Set;

/**
 * The bytes that tokens add to the text of a request.
 *
 * @param shown control tokens that appear in the text
 */
record TokenTexts(Vocabulary vocabulary, Set<Integer> shown) {
  private static final byte[] NOTHING = {};

  /** Empty for end tokens, and for control tokens that are not shown. */
  byte[] of(int token) {
    if (vocabulary.isEnd(token)) {
      return NOTHING;
    }
    boolean isShown = vocabulary.isControl(token) && shown.contains(token);
    return isShown ? vocabulary.shownBytes(token) : vocabulary.bytes(token);
  }

  static boolean isWhiteSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** Whether the bytes from an index on are white space, or none. */
  static boolean isWhiteSpace(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (!isWhiteSpace(bytes[i])) {
        return false;
      }
    }
    return true;
  }
}
