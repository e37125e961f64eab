package dev.millrace.engine.internal.sample;

import java.util.Arrays;

/**
 * Finds where the nucleus of top-p ends without sorting the vocabulary: weights are summed in
 * buckets by their distance from the best score, and only the bucket in which the mass is reached
 * is sorted.
 */
final class TopPCutoff {
  private static final int BUCKETS = 1024;
  private static final double PER_NAT =
      32; // the last bucket takes all that is 32 nats or more below the best

  private final double[] mass = new double[BUCKETS];

  /**
   * The key of the last token of the smallest set of best tokens with at least {@code share} of the
   * mass.
   */
  long cutoff(SamplerBuffers space, float best, double share) {
    double total = weigh(space, best);
    double reached = 0;
    int bucket = 0;
    while (bucket < BUCKETS - 1 && reached + mass[bucket] < share * total) {
      reached += mass[bucket++];
    }
    TokenRanking ranking = space.ranking;
    ranking.clear();
    for (int i = 0; i < space.vocabulary; i++) {
      float score = space.scores[i];
      if (score > Float.NEGATIVE_INFINITY && bucket(best, score) == bucket) {
        ranking.add(
            ~TokenRanking.key(
                score, i)); // the complement turns the order round: the best is taken first
      }
    }
    ranking.order();
    long last = TokenRanking.key(best, 0);
    while (ranking.size() > 0 && reached < share * total) {
      last = ~ranking.take();
      reached += space.weights[TokenRanking.token(last)];
    }
    return last;
  }

  private double weigh(SamplerBuffers space, float best) {
    Arrays.fill(mass, 0);
    for (int i = 0; i < space.vocabulary; i++) {
      float score = space.scores[i];
      if (score > Float.NEGATIVE_INFINITY) {
        double weight = DoubleExp.of((double) score - best);
        space.weights[i] = weight;
        mass[bucket(best, score)] += weight;
      }
    }
    double total = 0;
    for (double part : mass) {
      total += part;
    }
    return total;
  }

  private static int bucket(float best, float score) {
    return (int) Math.min(((double) best - score) * PER_NAT, BUCKETS - 1);
  }
}
