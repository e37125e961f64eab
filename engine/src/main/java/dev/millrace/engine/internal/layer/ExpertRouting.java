package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.config.FeedForwardConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import java.util.Arrays;

/**
 * Chooses the experts of each row with their weights, and orders all these visits by expert. The
 * experts of a row depend on the row alone; the order of its visits depends on the batch.
 */
final class ExpertRouting {
  private static final float TAKEN = -1; // less than any probability

  /** The least divisor of a row's weights: the smallest normal half, as llama.cpp has it. */
  private static final float LEAST_SUM = 6.103515625e-5f;

  private final Arithmetic arithmetic;
  private final FeedForwardConfig config;
  final float[] scores; // (row, expert): what the router gives; used up by choose
  final int[] expert; // (row, rank)
  final float[] weight; // (row, rank)
  final int[] visit; // (row, rank): its place in the order
  final int[] rowOf; // (visit)
  final int[] first; // (expert + 1): the first visit to each
  final int[] active; // (activeCount): experts that are visited at all, ascending
  int activeCount;
  int visits;

  ExpertRouting(Arithmetic arithmetic, FeedForwardConfig config, int maxRows) {
    int visits = Math.multiplyExact(maxRows, config.expertsUsed());
    this.arithmetic = arithmetic;
    this.config = config;
    this.scores = new float[Math.multiplyExact(maxRows, config.experts())];
    this.expert = new int[visits];
    this.weight = new float[visits];
    this.visit = new int[visits];
    this.rowOf = new int[visits];
    this.first = new int[config.experts() + 1];
    this.active = new int[config.experts()];
  }

  /** Chooses a row's experts, the likeliest first; the lower number of equal ones. */
  void choose(int row) {
    int experts = config.experts();
    int used = config.expertsUsed();
    arithmetic.softmax(scores, row * experts, experts);
    float sum = 0;
    for (int rank = 0; rank < used; rank++) {
      int best = best(row * experts, experts);
      float probability = scores[row * experts + best];
      scores[row * experts + best] = TAKEN;
      expert[row * used + rank] = best;
      weight[row * used + rank] = probability;
      sum += probability;
    }
    float divisor = config.normalised() ? Math.max(sum, LEAST_SUM) : 1;
    for (int rank = 0; rank < used; rank++) {
      weight[row * used + rank] = weight[row * used + rank] / divisor * config.expertScale();
    }
  }

  private int best(int offset, int experts) {
    int best = -1;
    for (int e = 0; e < experts; e++) {
      float score = scores[offset + e];
      if (score != TAKEN && (best < 0 || score > scores[offset + best])) {
        best = e;
      }
    }
    return best;
  }

  /** Orders the visits of the first {@code rows} rows by expert, then row. */
  void group(int rows) {
    int used = config.expertsUsed();
    visits = rows * used;
    Arrays.fill(first, 0);
    for (int i = 0; i < visits; i++) {
      first[expert[i] + 1]++;
    }
    activeCount = 0;
    for (int e = 0; e < config.experts(); e++) {
      if (first[e + 1] > 0) {
        active[activeCount++] = e;
      }
      first[e + 1] += first[e];
    }
    place(used);
  }

  /**
   * A counting sort: each expert's first place moves on by one for each visit, and is then moved
   * back.
   */
  private void place(int used) {
    for (int i = 0; i < visits; i++) {
      visit[i] = first[expert[i]]++;
      rowOf[visit[i]] = i / used;
    }
    for (int e = config.experts(); e > 0; e--) {
      first[e] = first[e - 1];
    }
    first[0] = 0;
  }
}
