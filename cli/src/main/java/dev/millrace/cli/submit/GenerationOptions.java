package dev.millrace.cli.submit;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code work} that set parameters of a generation. They are short forms of {@code
 * --param}. A value out of range is rejected here, before the job waits in the queue.
 */
final class GenerationOptions {
  static final Option MODEL =
      Option.value("model", "NAME", "which of the server's models (default: its first)")
          .letter('m');
  static final Option SYSTEM = Option.value("system", "TEXT", "a system message before the prompt");
  static final Option RAW = Option.flag("raw", "use the prompt as it is, without a chat template");
  static final Option TEMPERATURE =
      Option.value("temp", "T", "temperature: 0 (always the most likely token) to 100");
  static final Option SEED = Option.value("seed", "N", "the seed of the sampler");
  static final Option MAX_TOKENS =
      Option.value("max-tokens", "N", "generate at most N tokens").letter('n');
  static final Option TOP_K =
      Option.value("top-k", "K", "sample from the K most likely tokens (0: all)");
  static final Option TOP_P =
      Option.value("top-p", "P", "sample from the most likely tokens up to total\nprobability P");
  static final Option MIN_P =
      Option.value("min-p", "P", "exclude tokens less likely than P times the likeliest");
  static final Option STOP =
      Option.value("stop", "TEXT", "stop before TEXT would be generated (repeatable)").many();

  static final List<Option> ALL =
      List.of(MODEL, SYSTEM, RAW, TEMPERATURE, SEED, MAX_TOKENS, TOP_K, TOP_P, MIN_P, STOP);

  private GenerationOptions() {}

  /** Rejects options that do not go together. */
  static void check(Arguments given, String type) {
    given.exclude(RAW, SYSTEM);
    if (type.equals("embed")) {
      for (Option option : ALL) {
        if (given.has(option) && option != MODEL) {
          throw new UsageException(option.shown() + " is for generated text, not for embeddings");
        }
      }
    }
  }

  /** Puts the given options into a stage's data, under the names that workers know. */
  static void put(JsonObject data, Arguments given) {
    data.putIfPresent("model", text(given, MODEL));
    data.putIfPresent("system", given.get(SYSTEM));
    data.putIfPresent("raw", given.has(RAW) ? true : null);
    data.putIfPresent("temperature", number(given, TEMPERATURE, 100));
    data.putIfPresent("seed", seed(given.get(SEED)));
    data.putIfPresent("max_tokens", integer(given, MAX_TOKENS, 1));
    data.putIfPresent("top_k", integer(given, TOP_K, 0));
    Double share = number(given, TOP_P, 1);
    if (share != null && share == 0) {
      throw new UsageException("--top-p must be above 0: nothing would be left to choose from");
    }
    data.putIfPresent("top_p", share);
    data.putIfPresent("min_p", number(given, MIN_P, 1));
    stops(data, given.all(STOP));
  }

  private static void stops(JsonObject data, List<String> stops) {
    if (stops.contains("")) {
      throw new UsageException("--stop must not be empty: it would end every result at once");
    }
    if (!stops.isEmpty()) {
      data.put("stop", stops);
    }
  }

  private static @Nullable String text(Arguments given, Option option) {
    String text = given.get(option);
    if (text != null && text.isBlank()) {
      throw new UsageException(option.shown() + " must not be empty");
    }
    return text;
  }

  private static @Nullable Long seed(@Nullable String text) {
    try {
      return text == null ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new UsageException("--seed must be a whole number of 64 bits, not \"" + text + "\"");
    }
  }

  private static @Nullable Integer integer(Arguments given, Option option, int least) {
    return given.has(option) ? given.integer(option, least, Integer.MAX_VALUE, least) : null;
  }

  private static @Nullable Double number(Arguments given, Option option, int most) {
    String text = given.get(option);
    if (text == null) {
      return null;
    }
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new UsageException(
        option.shown() + " must be a number from 0 to " + most + ", not \"" + text + "\"");
  }
}
