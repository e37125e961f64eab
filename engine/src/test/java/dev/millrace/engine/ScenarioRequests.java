package dev.millrace.engine;

import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.pipe.KvPageSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sixteen requests, from one token to many pages, some of which have equal prefixes. The even ones
 * are greedy. The first two have prompts of the requested length, so that they exceed what
 * attention computes at once.
 */
final class ScenarioRequests {
  /** The number of generated tokens. */
  static final int SHORT = 7;

  /** The number of tokens that the first two generate if they are to grow by two pages. */
  static final int LONG = 38;

  /**
   * The lengths of the prompts, and of their common prefixes. The first two get whole pages in
   * addition: they cross two pages as they grow, and the third crosses one soon.
   */
  private static final int[][] PROMPTS = {
    {60, 40}, {60, 50}, {30, 0}, {66, 64}, {5, 5}, {12, 0}, {33, 32}, {3, 0},
    {9, 0}, {4, 0}, {1, 0}, {34, 33}, {6, 0}, {10, 0}, {2, 0}, {40, 32}
  };

  static final int COUNT = PROMPTS.length;

  private static final int[] COMMON = tokens(new Random(6), 64);
  private static final Map<Integer, List<GenerationRequest>> ALL =
      new ConcurrentHashMap<>(); // by length

  private ScenarioRequests() {}

  /** All requests of a model, as long as they may get in any scenario. */
  static List<GenerationRequest> of(TinyModel model) {
    return ALL.computeIfAbsent(model.morePages(), ScenarioRequests::all);
  }

  private static List<GenerationRequest> all(int morePages) {
    Random random = new Random(7);
    List<GenerationRequest> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      int[] prompt = tokens(random, PROMPTS[i][0] + (i < 2 ? morePages * KvPageSize.POSITIONS : 0));
      System.arraycopy(COMMON, 0, prompt, 0, PROMPTS[i][1]);
      all.add(GenerationRequest.of(prompt, sampling(i), i < 2 ? LONG : SHORT).ignoringEnd());
    }
    return all;
  }

  private static int[] tokens(Random random, int count) {
    return random.ints(count, 3, TinyModel.VOCABULARY).toArray();
  }

  private static Sampling sampling(int i) {
    Sampling.Builder warm = Sampling.builder().temperature(0.5 + i / 10.0).seed(i);
    return switch (i % 8) {
      case 1 -> warm.topK(40).build();
      case 3 -> warm.topP(0.9).repetitionPenalty(1.3).build();
      case 5 -> warm.minP(0.02).presencePenalty(0.5).frequencyPenalty(0.2).build();
      case 7 -> warm.logitBias(Map.of(9, 2f)).build();
      default -> Sampling.greedy();
    };
  }

  /** The request that computes the pages which others share. */
  static GenerationRequest herald() {
    return GenerationRequest.of(Arrays.copyOf(COMMON, COMMON.length + 1), Sampling.greedy(), 1)
        .ignoringEnd();
  }

  /** The requests of a scenario in their order: first one of the two long ones. */
  static int[] order(DeterminismScenario scenario) {
    int[] order = new int[COUNT];
    Arrays.setAll(order, i -> i);
    order[0] = scenario.seeded() ? 1 : 0;
    System.arraycopy(order, 2, order, 1, COUNT - 2);
    order[COUNT - 1] = 1 - order[0];
    return Arrays.copyOf(order, scenario.batch());
  }
}
