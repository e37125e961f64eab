package dev.millrace.bench.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A workload for a model: prompts, and the number of tokens to generate for each.
 *
 * @param promptTokens tokens of each prompt
 * @param sharedTokens tokens of the common prefix
 */
public record Workload(List<String> prompts, int promptTokens, int sharedTokens, int output) {

  /** Prompts without a common prefix. */
  public static Workload unrelated(
      RandomPrompts texts, int jobs, int prompt, int output, long seed) {
    return withSharedPrefix(texts, jobs, 0, prompt, output, seed);
  }

  /** Prompts with a common prefix of {@code shared} tokens, and {@code own} tokens after it. */
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

  /** A smaller workload for the warm-up: other prompts of the same length. */
  static Workload warmUp(RandomPrompts texts, Workload of, int jobs) {
    int own = of.promptTokens - of.sharedTokens;
    int few = Math.min(jobs, of.prompts.size());
    return withSharedPrefix(texts, few, of.sharedTokens, own, Math.min(16, of.output), 987_654_321);
  }
}
