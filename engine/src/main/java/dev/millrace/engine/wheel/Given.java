package dev.millrace.engine.wheel;

import org.jspecify.annotations.Nullable;

/**
 * What a sequence has given that begins again from its prompt: it is to give the same once more,
 * and nobody is told of it twice.
 *
 * @param text of the tokens, as far as it was certain
 */
record Given(int[] tokens, String text) {
  static final Given NOTHING = new Given(new int[0], "");

  /** How many tokens. */
  int count() {
    return tokens.length;
  }

  /**
   * Null where a token, the {@code at}-th from 0 on, is the one that was given, or none was; else
   * how it differs.
   */
  @Nullable String differs(int at, int token) {
    return at >= tokens.length || tokens[at] == token ? null : differs(at, "token " + token);
  }

  /** Null where an end after {@code count} tokens comes after all that were given. */
  @Nullable String endsShort(int count) {
    return count >= tokens.length ? null : differs(count, "the end");
  }

  private String differs(int at, String now) {
    return "token %d differs from the one that was given before: it was %d, now it is %s"
        .formatted(at, tokens[at], now);
  }
}
