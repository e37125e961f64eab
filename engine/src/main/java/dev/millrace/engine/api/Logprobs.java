package dev.millrace.engine.api;

import dev.millrace.engine.internal.sample.DoubleExp;
import dev.millrace.engine.internal.sample.TokenRanking;

/**
 * Natural log probabilities of a choice and its best alternatives under the model's own
 * distribution: the softmax of the logits as they came, before bias, penalties, mask and
 * temperature. Reused from choice to choice.
 */
public final class Logprobs {
  private final int wanted;
  private final TokenRanking ranking;
  private float chosen;
  private double logTotal;

  public Logprobs(int wanted) {
    this.wanted = wanted;
    ranking = new TokenRanking(Math.max(wanted, 1));
  }

  /** Of the chosen token; minus infinity where the model gave it no weight. */
  public float chosen() {
    return chosen;
  }

  /**
   * How many alternatives there are: as many as asked for, fewer only where fewer have any weight.
   */
  public int alternatives() {
    return wanted == 0 ? 0 : ranking.size();
  }

  /** The token at a rank, 0 being the likeliest; the chosen one is among them where it ranks so. */
  public int token(int rank) {
    return TokenRanking.token(ranking.get(rank));
  }

  public float logprob(int rank) {
    return (float) (Math.min(TokenRanking.score(ranking.get(rank)), Float.MAX_VALUE) - logTotal);
  }

  public void fill(float[] logits, int offset, int vocabulary, int token) {
    ranking.best(logits, offset, vocabulary, Math.max(wanted, 1));
    if (ranking.size() == 0) {
      chosen = Float.NEGATIVE_INFINITY;
      return;
    }
    double max = Math.min(TokenRanking.score(ranking.get(0)), Float.MAX_VALUE);
    double total = 0;
    for (int i = 0; i < vocabulary; i++) {
      total += DoubleExp.of(Math.min(logits[offset + i], Float.MAX_VALUE) - max);
    }
    logTotal = max + StrictMath.log(total);
    float logit = logits[offset + token];
    chosen =
        logit != logit
            ? Float.NEGATIVE_INFINITY
            : (float) (Math.min(logit, Float.MAX_VALUE) - logTotal);
  }
}
