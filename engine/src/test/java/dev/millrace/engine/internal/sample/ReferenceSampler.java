package dev.millrace.engine.internal.sample;

import dev.millrace.engine.api.Sampling;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reference for {@link Sampler}, written for clarity: it sorts the whole vocabulary and cuts it
 * step by step.
 */
final class ReferenceSampler {
  record Candidate(int token, double score) {}

  private final Sampling sampling;

  ReferenceSampler(Sampling sampling) {
    this.sampling = sampling;
  }

  /** The candidates that the filters leave, best first. */
  List<Candidate> candidates(float[] logits, long @Nullable [] mask, int[] history) {
    List<Candidate> all = new ArrayList<>();
    for (int token = 0; token < logits.length; token++) {
      float score = adjusted(logits[token], token, history);
      boolean allowed = mask == null || (mask[token >> 6] >> token & 1) != 0;
      if (allowed && score > Float.NEGATIVE_INFINITY) {
        all.add(new Candidate(token, score));
      }
    }
    all.sort(
        Comparator.comparingDouble(Candidate::score).reversed().thenComparingInt(Candidate::token));
    if (sampling.isGreedy()) {
      return all.subList(0, 1);
    }
    if (sampling.topK() > 0 && sampling.topK() < all.size()) {
      all = all.subList(0, sampling.topK());
    }
    return minP(topP(all));
  }

  private float adjusted(float logit, int token, int[] history) {
    float score = logit + sampling.logitBias().getOrDefault(token, 0f);
    int window = sampling.penaltyWindow() < 0 ? history.length : sampling.penaltyWindow();
    int count = 0;
    for (int i = Math.max(0, history.length - window); i < history.length; i++) {
      count += history[i] == token ? 1 : 0;
    }
    if (count == 0) {
      return score;
    }
    double factor = sampling.repetitionPenalty();
    double penalised = score <= 0 ? score * factor : score / factor;
    return (float) (penalised - (count * sampling.frequencyPenalty() + sampling.presencePenalty()));
  }

  private List<Candidate> topP(List<Candidate> from) {
    double max = from.getFirst().score();
    double total = from.stream().mapToDouble(c -> StrictMath.exp(c.score() - max)).sum();
    double reached = 0;
    int kept = 0;
    while (kept < from.size() && (sampling.topP() == 1 || reached < sampling.topP() * total)) {
      reached += StrictMath.exp(from.get(kept++).score() - max);
    }
    return from.subList(0, kept);
  }

  private List<Candidate> minP(List<Candidate> from) {
    double max = from.getFirst().score();
    return from.stream()
        .filter(c -> StrictMath.exp(c.score() - max) >= sampling.minP() * (1 - 1e-12))
        .toList();
  }
}
