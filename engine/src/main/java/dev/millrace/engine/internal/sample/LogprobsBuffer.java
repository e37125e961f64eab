package dev.millrace.engine.internal.sample;

import dev.millrace.engine.api.Logprobs;

/** The log probabilities of a sampler's last choice, in buffers that every choice reuses. */
final class LogprobsBuffer implements Logprobs {
  private final int wanted;
  private final TokenRanking ranking;
  private float chosen;
  private double logTotal;

  LogprobsBuffer(int wanted) {
    this.wanted = wanted;
    ranking = new TokenRanking(Math.max(wanted, 1));
  }

  @Override
  public float chosen() {
    return chosen;
  }

  @Override
  public int alternatives() {
    return wanted == 0 ? 0 : ranking.size();
  }

  @Override
  public int token(int rank) {
    return TokenRanking.token(ranking.get(rank));
  }

  @Override
  public float logprob(int rank) {
    return (float) (Math.min(TokenRanking.score(ranking.get(rank)), Float.MAX_VALUE) - logTotal);
  }

  /** Computes the log probabilities of one choice from the logits. */
  void fill(float[] logits, int offset, int vocabulary, int token) {
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
