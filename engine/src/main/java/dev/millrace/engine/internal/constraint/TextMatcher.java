package dev.millrace.engine.internal.constraint;

import java.nio.charset.StandardCharsets;

/**
 * Finds a text in bytes that arrive one by one, by the algorithm of Knuth, Morris and Pratt. A
 * state is the number of bytes that match so far. Immutable.
 */
final class TextMatcher {
  private final byte[] text;
  private final int[] shorter; // (state) -> the next shorter match

  TextMatcher(String text) {
    this.text = text.getBytes(StandardCharsets.UTF_8);
    shorter = new int[this.text.length + 1];
    for (int i = 1, match = 0; i < this.text.length; i++) {
      match = next(match, this.text[i]);
      shorter[i + 1] = match;
    }
  }

  /** Not empty. */
  byte[] text() {
    return text;
  }

  boolean isComplete(int state) {
    return state == text.length;
  }

  /** The state after one more byte. */
  int next(int state, byte b) {
    int at = state;
    while (at > 0 && (at == text.length || text[at] != b)) {
      at = shorter[at];
    }
    return text[at] == b ? at + 1 : at;
  }

  /**
   * Reads a token's bytes until the text is complete.
   *
   * @return the number of bytes up to there; -1 if the text is not complete after all of them
   */
  int findEnd(int state, byte[] bytes) {
    int at = state;
    for (int i = 0; i < bytes.length; i++) {
      at = next(at, bytes[i]);
      if (isComplete(at)) {
        return i + 1;
      }
    }
    return -1;
  }

  /** The state after all these bytes. */
  int next(int state, byte[] bytes) {
    int at = state;
    for (byte b : bytes) {
      at = next(at, b);
    }
    return at;
  }
}
