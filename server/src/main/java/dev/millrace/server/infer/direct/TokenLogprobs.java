package dev.millrace.server.infer.direct;

import java.util.List;

/**
 * The log probabilities at one position, before sampling parameters had an effect.
 *
 * @param top the likeliest tokens, as many as asked for
 */
public record TokenLogprobs(Entry chosen, List<Entry> top) {
  /**
   * One token.
   *
   * @param text its bytes as text, with U+FFFD for what is not a whole character
   * @param logprob natural; minus infinity if the model gave it no weight
   */
  public record Entry(int token, String text, byte[] bytes, float logprob) {}

  public TokenLogprobs {
    top = List.copyOf(top);
  }
}
