package dev.millrace.engine.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * What a sequence has given that begins again from its prompt: it is to give the same once more,
 * and nobody is told of it twice.
 *
 * @param text of the tokens, as far as it was certain
 */
record EmittedTokens(int[] tokens, String text) {
  static final EmittedTokens NOTHING = new EmittedTokens(new int[0], "");

  /** How many tokens. */
  int count() {
    return tokens.length;
  }

  /**
   * Null where a token, the {@code at}-th from 0 on, is the one that was given, or none was; else
   * how it differs.
   */
  @Nullable String mismatch(int at, int token) {
    return at >= tokens.length || tokens[at] == token ? null : mismatch(at, "token " + token);
  }

  /** Null where an end after {@code count} tokens comes after all that were given. */
  @Nullable String endsTooEarly(int count) {
    return count >= tokens.length ? null : mismatch(count, "the end");
  }

  private String mismatch(int at, String now) {
    return "token %d differs from the one that was given before: it was %d, now it is %s"
        .formatted(at, tokens[at], now);
  }
}
