package dev.millrace.engine.api;

/**
 * Natural log probabilities of a chosen token and its best alternatives. They are the softmax of
 * the model's logits, before bias, penalties, mask and temperature. The object is reused from token
 * to token: copy what you keep.
 */
public interface Logprobs {
  /** The log probability of the chosen token; minus infinity if the model gave it no weight. */
  float chosen();

  /** The number of alternatives: as many as requested, fewer if fewer tokens have any weight. */
  int alternatives();

  /**
   * The token at a rank; rank 0 is the likeliest. The chosen token is one of them if it ranks high
   * enough.
   */
  int token(int rank);

  /** The log probability of the token at a rank. */
  float logprob(int rank);
}
