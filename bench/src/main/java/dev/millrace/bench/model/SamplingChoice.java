package dev.millrace.bench.model;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.Sampling;

/**
 * The sampling of a benchmark, for the engine and as job parameters: greedy, or with a temperature
 * and the usual filters and penalty.
 */
public record SamplingChoice(double temperature) {
  private static final int TOP_K = 40;
  private static final double TOP_P = 0.9;
  private static final double MIN_P = 0.05;
  private static final double PENALTY = 1.1;
  private static final int WINDOW = 64;

  Sampling sampling() {
    if (temperature == 0) {
      return Sampling.greedy();
    }
    return Sampling.builder()
        .temperature(temperature)
        .topK(TOP_K)
        .topP(TOP_P)
        .minP(MIN_P)
        .repetitionPenalty(PENALTY)
        .penaltyWindow(WINDOW)
        .seed(1)
        .build();
  }

  /** The parameters of a job that generates exactly {@code output} tokens. */
  public JsonObject parameters(int output) {
    return JsonObject.create()
        .put("raw", true)
        .put("max_tokens", (long) output)
        .put("ignore_eos", true)
        .put("seed", 1L)
        .put("temperature", temperature)
        .put("top_k", (long) TOP_K)
        .put("top_p", TOP_P)
        .put("min_p", MIN_P)
        .put("repeat_penalty", temperature == 0 ? 1.0 : PENALTY)
        .put("repeat_last_n", (long) WINDOW);
  }
}
