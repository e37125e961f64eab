package dev.millrace.cli.config;

import dev.millrace.cli.args.ConfiguredOptions;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.terminal.SanitizedText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * A TOML file with values for options: a key is an option's name without its dashes, and its value
 * means what it would mean on the command line. Unknown keys and values of the wrong type are
 * errors that name the line.
 */
public final class ConfigurationFile {
  /** What the parser found; it may be a secret that was not put in quotes. */
  private static final Pattern FOUND = Pattern.compile("(?s)Unexpected '.*', expected ");

  private final Path file;
  private final TomlParseResult toml;

  private ConfigurationFile(Path file, TomlParseResult toml) {
    this.file = file;
    this.toml = toml;
  }

  /**
   * Parses a file.
   *
   * @throws CommandException if it cannot be read
   * @throws UsageException if it is not TOML
   */
  public static ConfigurationFile parse(Path file) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(file);
    } catch (CharacterCodingException e) {
      throw new UsageException(file + ": this is not UTF-8, which TOML must be; save it as UTF-8");
    } catch (StackOverflowError e) { // the parser calls itself for each level
      throw new UsageException(
          file
              + ": lists or tables are nested too deep to be read; no key needs more than 2"
              + " levels");
    } catch (IOException e) {
      throw new CommandException(
          "cannot read the configuration: "
              + (Files.isDirectory(file) ? file + " is a directory" : ErrorText.of(e)));
    }
    if (toml.hasErrors()) {
      TomlParseError error = toml.errors().getFirst();
      String message =
          FOUND
              .matcher(String.valueOf(error.getMessage()))
              .replaceFirst("unexpected text, expected ");
      throw new UsageException(
          file
              + ", line "
              + error.position().line()
              + ", column "
              + error.position().column()
              + ": this is not TOML: "
              + SanitizedText.line(message, 300)
              + LanguagePipesKeys.hint(line(file, error.position().line())));
    }
    return new ConfigurationFile(file, toml);
  }

  private static String line(Path file, int number) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.skip(number - 1L).findFirst().orElse("");
    } catch (IOException | UncheckedIOException e) {
      return ""; // it was readable a moment ago
    }
  }

  /** Whether the file has keys of Language Pipes. */
  public boolean isLanguagePipes() {
    return toml.keySet().stream().anyMatch(LanguagePipesKeys::isKey);
  }

  Path file() {
    return file;
  }

  TomlTable toml() {
    return toml;
  }

  /**
   * The values of these options.
   *
   * @throws UsageException if it has other keys or wrong values
   */
  public ConfiguredOptions options(List<Option> known) {
    ConfigurationProblems problems = new ConfigurationProblems(file);
    TranslatedOptions values = new TranslatedOptions();
    for (String key : toml.keySet()) {
      read(key, known, List.of(), values, problems);
    }
    problems.throwIfAny();
    return values.options();
  }

  /** Reads one key that is an option's name; {@code others} may be suggested instead. */
  void read(
      String key,
      List<Option> known,
      List<String> others,
      TranslatedOptions values,
      ConfigurationProblems problems) {
    TomlPosition at = toml.inputPositionOf(List.of(key));
    try {
      Option option = option(key, known, others);
      Object value = toml.get(List.of(key));
      values.put(
          key,
          option.kind() == Option.Kind.FLAG
              ? flag(key, option, value) ? List.of("") : List.of()
              : texts(key, option, value),
          problems.at(at, key));
    } catch (UsageException e) {
      problems.add(at, e.getMessage());
    }
  }

  private static Option option(String key, List<Option> known, List<String> others) {
    List<String> names = new ArrayList<>();
    for (Option option : known) {
      if (option.name().equals(key)) {
        return option;
      }
      names.add(option.name());
    }
    names.addAll(others);
    String close = Suggestion.closest(key, names);
    throw new UsageException(
        "there is no key \""
            + SanitizedText.line(key, 60)
            + "\"; "
            + (close != null
                ? "did you mean " + close + "?"
                : "known are " + String.join(", ", names)));
  }

  private static boolean flag(String key, Option option, @Nullable Object value) {
    if (value instanceof Boolean on) {
      return on;
    }
    throw wrong(key, rule(option));
  }

  private static List<String> texts(String key, Option option, @Nullable Object value) {
    if (!(value instanceof TomlArray array)) {
      return List.of(text(key, option, value));
    }
    if (!option.repeatable()) {
      throw wrong(key, "one value, not a list");
    }
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      texts.add(text(key, option, array.get(i)));
    }
    return texts;
  }

  private static String text(String key, Option option, @Nullable Object value) {
    boolean fits =
        switch (option.kind()) {
          case FLAG -> false;
          case TEXT -> value instanceof String;
          case WHOLE_NUMBER -> value instanceof Long;
          case NUMBER -> value instanceof Long || value instanceof Double;
        };
    if (!fits) {
      String rule = rule(option);
      throw wrong(key, option.repeatable() ? rule + ", or a list of such" : rule);
    }
    return String.valueOf(value);
  }

  private static String rule(Option option) {
    return switch (option.kind()) {
      case FLAG -> "true or false";
      case TEXT -> "a text in quotes, " + option.value();
      case WHOLE_NUMBER -> "a whole number";
      case NUMBER -> "a number";
    };
  }

  private static UsageException wrong(String key, String rule) {
    return new UsageException(key + " must be " + rule);
  }
}
