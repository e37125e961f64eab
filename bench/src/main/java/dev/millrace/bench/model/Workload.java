package dev.millrace.bench.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What is asked of a model: texts to go on from, each by so many tokens.
 *
 * @param promptTokens of each text
 * @param sharedTokens of them, those at the beginning that all texts have in common
 */
public record Workload(List<String> prompts, int promptTokens, int sharedTokens, int output) {

  /** Texts that have nothing in common. */
  public static Workload unrelated(
      RandomPrompts texts, int jobs, int prompt, int output, long seed) {
    return withSharedPrefix(texts, jobs, 0, prompt, output, seed);
  }

  /** Texts with the first {@code shared} tokens in common, and {@code own} ones after them. */
  public static Workload withSharedPrefix(
      RandomPrompts texts, int jobs, int shared, int own, int output, long seed) {
    Random random = new Random(seed);
    String beginning = shared == 0 ? "" : texts.of(random, shared);
    List<String> prompts = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      prompts.add(shared == 0 ? texts.of(random, own) : texts.extend(random, beginning, own));
    }
    return new Workload(prompts, shared + own, shared, output);
  }

  /** A little of the same, to warm up on: other texts of the same length. */
  static Workload warmUp(RandomPrompts texts, Workload of, int jobs) {
    int own = of.promptTokens - of.sharedTokens;
    int few = Math.min(jobs, of.prompts.size());
    return withSharedPrefix(texts, few, of.sharedTokens, own, Math.min(16, of.output), 987_654_321);
  }

  int jobs() {
    return prompts.size();
  }

  long outputTokens() {
    return (long) output * prompts.size();
  }
}
