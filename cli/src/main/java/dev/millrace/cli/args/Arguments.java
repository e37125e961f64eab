package dev.millrace.cli.args;

import dev.millrace.core.job.DurationParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A parsed command line: the values of each option, and the other words. */
public final class Arguments {
  /** A longer duration could overflow a timestamp. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Map<String, List<String>> values;
  private final List<String> words;
  private final int literal;
  private final Map<String, String> sources;

  Arguments(Map<String, List<String>> values, List<String> words, int literal) {
    this(values, words, literal, Map.of());
  }

  private Arguments(
      Map<String, List<String>> values,
      List<String> words,
      int literal,
      Map<String, String> sources) {
    this.values = values;
    this.words = List.copyOf(words);
    this.literal = literal;
    this.sources = sources;
  }

  /** The same with the preset's values for options that were not given. */
  public Arguments withDefaults(ConfiguredOptions preset) {
    Map<String, List<String>> all = new HashMap<>(preset.values());
    all.putAll(values);
    Map<String, String> from = new HashMap<>(preset.sources());
    from.keySet().removeAll(values.keySet());
    return new Arguments(all, words, literal, from);
  }

  /** The same with these options alone. */
  public Arguments only(List<Option> options) {
    Map<String, List<String>> some = new HashMap<>(values);
    some.keySet().retainAll(options.stream().map(Option::name).toList());
    return new Arguments(some, words, literal, sources);
  }

  /** The option as an error names it: with its dashes, or where a file says it. */
  public String shown(Option option) {
    return sources.getOrDefault(option.name(), option.shown());
  }

  /** Whether word number {@code index} stands after {@code --}, so that it is never special. */
  public boolean isLiteral(int index) {
    return index >= literal;
  }

  /** The words that belong to no option, in their order. */
  public List<String> words() {
    return words;
  }

  public boolean has(Option option) {
    return values.containsKey(option.name());
  }

  /** The value of the option; null if it was not given. */
  public @Nullable String get(Option option) {
    List<String> given = values.get(option.name());
    return given == null ? null : given.getFirst();
  }

  public List<String> all(Option option) {
    return values.getOrDefault(option.name(), List.of());
  }

  public int integer(Option option, int least, int most, int otherwise) {
    String text = get(option);
    return text == null ? otherwise : integer(shown(option), text, least, most);
  }

  /** {@code text} as a number between the two; errors call it {@code name}. */
  public static int integer(String name, String text, int least, int most) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new UsageException(
        name
            + " must be a whole number "
            + (most == Integer.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most)
            + ", not \""
            + text
            + "\"");
  }

  public @Nullable Duration duration(Option option) {
    String text = get(option);
    try {
      Duration duration = text == null ? null : DurationParser.parse(text);
      if (duration != null && (duration.isNegative() || duration.compareTo(LONGEST) > 0)) {
        throw new UsageException(
            shown(option) + " must be 0s to " + LONGEST.toDays() + "d, not \"" + text + "\"");
      }
      return duration;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException(shown(option) + ": " + e.getMessage());
    }
  }

  /** As {@link #duration}; a plain number counts seconds. */
  public @Nullable Duration durationOrSeconds(Option option) {
    String text = get(option);
    if (text == null || !text.matches("\\d{1,9}")) {
      return duration(option);
    }
    return Duration.ofSeconds(Long.parseLong(text));
  }

  /** The same, and 0 is not among them. */
  public @Nullable Duration positiveDuration(Option option) {
    Duration duration = duration(option);
    if (duration != null && duration.isZero()) {
      throw new UsageException(shown(option) + " must be longer than 0s");
    }
    return duration;
  }

  /** The value of the option as {@code reader} reads it, whose complaint gets the option's name. */
  public <T> @Nullable T read(Option option, Function<String, T> reader) {
    String text = get(option);
    return text == null ? null : read(option, text, reader);
  }

  /** The same for every value of the option. */
  public <T> List<T> readAll(Option option, Function<String, T> reader) {
    return all(option).stream().map(text -> read(option, text, reader)).toList();
  }

  private <T> T read(Option option, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException | UsageException e) {
      throw new UsageException(shown(option) + ": " + e.getMessage());
    }
  }

  /** Rejects a command line that has both options. */
  public void exclude(Option one, Option other) {
    if (has(one) && has(other)) {
      throw new UsageException(shown(one) + " and " + shown(other) + " are mutually exclusive");
    }
  }

  /** Rejects more words than the command takes. */
  public void requireAtMost(int count) {
    if (words.size() > count) {
      throw new UsageException("unexpected argument: " + words.get(count));
    }
  }
}
