package dev.millrace.cli.run;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.error.EngineException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The options that set how tokens are sampled. */
record SamplingOptions(Sampling sampling) {
  static final Option TEMPERATURE =
      Option.value(
          "temp",
          "T",
          "temperature: 0 takes the most likely token (the\n"
              + "default); higher values are more random");
  static final Option SEED =
      Option.value("seed", "N", "the seed of the sampler (default: random; --json\nprints it)");
  static final Option TOP_K =
      Option.value("top-k", "K", "sample from the K most likely tokens (0: all)");
  static final Option TOP_P =
      Option.value("top-p", "P", "sample from the most likely tokens up to total\nprobability P");
  static final Option MIN_P =
      Option.value("min-p", "P", "exclude tokens less likely than P times the likeliest");
  static final Option REPETITION =
      Option.value("repeat-penalty", "R", "make repeated tokens less likely (1: off)");
  static final Option PRESENCE =
      Option.value("presence-penalty", "R", "the same by subtraction, once per token (0: off)");
  static final Option FREQUENCY =
      Option.value("frequency-penalty", "R", "the same for every occurrence (0: off)");

  static SamplingOptions of(Arguments given) {
    try {
      double temperature = number(given, TEMPERATURE, 0);
      Sampling.Builder builder =
          Sampling.builder()
              .temperature(temperature)
              .topK(given.integer(TOP_K, 0, Integer.MAX_VALUE, 0))
              .topP(number(given, TOP_P, 1))
              .minP(number(given, MIN_P, 0))
              .repetitionPenalty(number(given, REPETITION, 1))
              .presencePenalty(number(given, PRESENCE, 0))
              .frequencyPenalty(number(given, FREQUENCY, 0))
              .seed(seed(given.get(SEED), temperature == 0));
      return new SamplingOptions(builder.build());
    } catch (EngineException e) {
      throw new UsageException(inOptions(e.getMessage()));
    }
  }

  private static long seed(@Nullable String text, boolean greedy) {
    if (text == null) {
      return greedy ? 0 : ThreadLocalRandom.current().nextLong(1L << 53);
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException("--seed is \"" + text + "\": it must be a whole number of 64 bits");
    }
  }

  private static double number(Arguments given, Option option, double otherwise) {
    String text = given.get(option);
    if (text == null) {
      return otherwise;
    }
    try {
      double value = Double.parseDouble(text);
      if (!Double.isFinite(value)) {
        throw new NumberFormatException();
      }
      return value;
    } catch (NumberFormatException e) {
      throw new UsageException(
          option.shown() + " is \"" + text + "\": it must be a number, for example 0.8");
    }
  }

  /** Replaces the engine's field names with the options that users know. */
  private static String inOptions(String message) {
    return message
        .replace("sampling: ", "")
        .replace("temperature", TEMPERATURE.shown())
        .replace("topK", TOP_K.shown())
        .replace("topP", TOP_P.shown())
        .replace("minP", MIN_P.shown())
        .replace("repetitionPenalty", REPETITION.shown())
        .replace("presencePenalty", PRESENCE.shown())
        .replace("frequencyPenalty", FREQUENCY.shown());
  }
}
