package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import java.util.Map;

/**
 * How the next token of a sequence is chosen. Validated and immutable.
 *
 * @param temperature 0 is greedy; above 0, it divides the scores of the candidates that the filters
 *     left
 * @param topK only the k best tokens are candidates; 0 is off
 * @param topP only the smallest set of best tokens with at least this mass; 1 is off
 * @param minP only tokens at least this likely relative to the best one; 0 is off
 * @param repetitionPenalty divides positive and multiplies negative scores of tokens seen in the
 *     window; 1 is off
 * @param presencePenalty subtracted once from the score of a token seen in the window
 * @param frequencyPenalty subtracted for each time that the token was seen in the window
 * @param penaltyWindow the last n tokens of the history count for the penalties; -1 is all of it, 0
 *     none
 * @param logitBias added to the scores of these tokens
 * @param seed with the position the only source of randomness
 * @param logprobs how many alternatives are reported with the log probability of the choice; -1 is
 *     no report
 */
public record Sampling(
    double temperature,
    int topK,
    double topP,
    double minP,
    double repetitionPenalty,
    double presencePenalty,
    double frequencyPenalty,
    int penaltyWindow,
    Map<Integer, Float> logitBias,
    long seed,
    int logprobs) {

  private static final Sampling GREEDY = new Sampling(0, 0, 1, 0, 1, 0, 0, -1, Map.of(), 0, -1);

  public Sampling {
    check(temperature >= 0 && temperature <= 100, "temperature", temperature, "between 0 and 100");
    check(topK >= 0, "topK", topK, "at least 0 (0 is off)");
    check(topP > 0 && topP <= 1, "topP", topP, "above 0 and at most 1 (1 is off)");
    check(minP >= 0 && minP <= 1, "minP", minP, "between 0 and 1 (0 is off)");
    check(
        repetitionPenalty > 0 && repetitionPenalty <= 100,
        "repetitionPenalty",
        repetitionPenalty,
        "above 0 and at most 100 (1 is off)");
    check(
        Math.abs(presencePenalty) <= 100,
        "presencePenalty",
        presencePenalty,
        "between -100 and 100");
    check(
        Math.abs(frequencyPenalty) <= 100,
        "frequencyPenalty",
        frequencyPenalty,
        "between -100 and 100");
    check(
        penaltyWindow >= -1,
        "penaltyWindow",
        penaltyWindow,
        "at least -1 (-1 is the whole history)");
    check(
        logprobs >= -1 && logprobs <= 20, "logprobs", logprobs, "between 0 and 20, or -1 for none");
    logitBias = Map.copyOf(logitBias);
    logitBias.forEach(
        (token, bias) -> {
          check(token >= 0, "logitBias", token, "keyed by token ids, at least 0");
          check(Math.abs(bias) <= 1e6f, "logitBias[" + token + "]", bias, "between -1e6 and 1e6");
        });
  }

  private static void check(boolean holds, String field, Object value, String rule) {
    if (!holds) {
      throw new EngineException("sampling: %s is %s; it must be %s".formatted(field, value, rule));
    }
  }

  /** The best token, always. */
  public static Sampling greedy() {
    return GREEDY;
  }

  /** A builder that starts from {@link #greedy()}. */
  public static Builder builder() {
    return GREEDY.toBuilder();
  }

  public Builder toBuilder() {
    return new Builder(this);
  }

  public boolean isGreedy() {
    return temperature == 0;
  }

  public boolean hasPenalties() {
    return penaltyWindow != 0
        && (repetitionPenalty != 1 || presencePenalty != 0 || frequencyPenalty != 0);
  }

  /** Collects settings; {@link #build()} validates them. */
  public static final class Builder {
    private double temperature;
    private int topK;
    private double topP;
    private double minP;
    private double repetitionPenalty;
    private double presencePenalty;
    private double frequencyPenalty;
    private int penaltyWindow;
    private Map<Integer, Float> logitBias;
    private long seed;
    private int logprobs;

    private Builder(Sampling from) {
      temperature = from.temperature;
      topK = from.topK;
      topP = from.topP;
      minP = from.minP;
      repetitionPenalty = from.repetitionPenalty;
      presencePenalty = from.presencePenalty;
      frequencyPenalty = from.frequencyPenalty;
      penaltyWindow = from.penaltyWindow;
      logitBias = from.logitBias;
      seed = from.seed;
      logprobs = from.logprobs;
    }

    public Builder temperature(double value) {
      temperature = value;
      return this;
    }

    public Builder topK(int value) {
      topK = value;
      return this;
    }

    public Builder topP(double value) {
      topP = value;
      return this;
    }

    public Builder minP(double value) {
      minP = value;
      return this;
    }

    public Builder repetitionPenalty(double value) {
      repetitionPenalty = value;
      return this;
    }

    public Builder presencePenalty(double value) {
      presencePenalty = value;
      return this;
    }

    public Builder frequencyPenalty(double value) {
      frequencyPenalty = value;
      return this;
    }

    public Builder penaltyWindow(int value) {
      penaltyWindow = value;
      return this;
    }

    public Builder logitBias(Map<Integer, Float> value) {
      logitBias = value;
      return this;
    }

    public Builder seed(long value) {
      seed = value;
      return this;
    }

    public Builder logprobs(int value) {
      logprobs = value;
      return this;
    }

    public Sampling build() {
      return new Sampling(
          temperature,
          topK,
          topP,
          minP,
          repetitionPenalty,
          presencePenalty,
          frequencyPenalty,
          penaltyWindow,
          logitBias,
          seed,
          logprobs);
    }
  }
}
