package dev.millrace.engine.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * The tokens that a sequence emitted before it restarted from its prompt. It must generate the same
 * tokens again, and its listener does not get them twice.
 *
 * @param text of the tokens, as far as it was certain
 */
record EmittedTokens(int[] tokens, String text) {
  static final EmittedTokens NOTHING = new EmittedTokens(new int[0], "");

  /** The number of tokens. */
  int count() {
    return tokens.length;
  }

  /**
   * Null if the token at index {@code at} equals the emitted one, or none was emitted; else the
   * difference.
   */
  @Nullable String mismatch(int at, int token) {
    return at >= tokens.length || tokens[at] == token ? null : mismatch(at, "token " + token);
  }

  /**
   * Null if an end after {@code count} tokens comes after all emitted tokens; else the difference.
   */
  @Nullable String endsTooEarly(int count) {
    return count >= tokens.length ? null : mismatch(count, "the end");
  }

  private String mismatch(int at, String now) {
    return "token %d differs from the one that was emitted before: it was %d, now it is %s"
        .formatted(at, tokens[at], now);
  }
}
