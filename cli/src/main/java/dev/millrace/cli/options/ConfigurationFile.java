package dev.millrace.cli.options;

import dev.millrace.cli.args.ConfiguredOptions;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.terminal.SanitizedText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;

/**
 * A TOML file with values for options: a key is an option's name without its dashes, and its value
 * means what it would mean on the command line. An unknown key or a value of the wrong type is an
 * error that names the line.
 */
final class ConfigurationFile {
  /** Keys of Language Pipes that have another name here. */
  private static final Map<String, String> MOVED =
      Map.ofEntries(
          Map.entry("node_id", "name (of serve: node-name)"),
          Map.entry("peer_port", "listen"),
          Map.entry("network_ip", "advertise"),
          Map.entry("bootstrap_nodes", "join"),
          Map.entry("network_key", "key-file"),
          Map.entry("whitelist_node_ids", "allow"),
          Map.entry("layer_models", "layers, or memory"),
          Map.entry("end_models", "end-model, of serve"),
          Map.entry("job_port", "port, of serve"),
          Map.entry("api_keys", "api-key-file, of serve"),
          Map.entry("max_node_jobs", "max-origins"),
          Map.entry("max_api_jobs", "slots, of serve"));

  private final Path file;
  private final List<Option> known;
  private final TomlParseResult toml;

  private ConfigurationFile(Path file, List<Option> known, TomlParseResult toml) {
    this.file = file;
    this.known = known;
    this.toml = toml;
  }

  /**
   * Reads the values of these options.
   *
   * @throws CommandException if it cannot be read
   * @throws UsageException if it has other keys or wrong values
   */
  static ConfiguredOptions read(Path file, List<Option> known) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(file);
    } catch (CharacterCodingException e) {
      throw new UsageException(file + ": this is not UTF-8, which TOML must be; save it as UTF-8");
    } catch (IOException e) {
      throw new CommandException(
          "cannot read the configuration: "
              + (Files.isDirectory(file) ? file + " is a directory" : ErrorText.of(e)));
    }
    if (toml.hasErrors()) {
      TomlParseError error = toml.errors().getFirst();
      throw new UsageException(
          file
              + ", line "
              + error.position().line()
              + ", column "
              + error.position().column()
              + ": this is not TOML: "
              + SanitizedText.line(String.valueOf(error.getMessage()), 300));
    }
    return new ConfigurationFile(file, known, toml).preset();
  }

  private ConfiguredOptions preset() {
    Map<String, List<String>> values = new HashMap<>();
    Map<String, String> sources = new HashMap<>();
    for (String key : toml.keySet()) {
      Option option = option(key);
      Object value = toml.get(List.of(key));
      List<String> texts =
          option.kind() == Option.Kind.FLAG
              ? flag(key, option, value) ? List.of("") : List.of()
              : texts(key, option, value);
      if (!texts.isEmpty()) {
        values.put(key, texts);
        sources.put(key, at(key) + key);
      }
    }
    return new ConfiguredOptions(values, sources);
  }

  private Option option(String key) {
    List<String> names = new ArrayList<>();
    for (Option option : known) {
      if (option.name().equals(key)) {
        return option;
      }
      names.add(option.name());
    }
    String moved = MOVED.get(key);
    String close = Suggestion.closest(key, names);
    throw new UsageException(
        at(key)
            + "there is no key \""
            + SanitizedText.line(key, 60)
            + "\"; "
            + (moved != null
                ? "here it is " + moved + " (docs/pipes.md)"
                : close != null
                    ? "did you mean " + close + "?"
                    : "known are " + String.join(", ", names)));
  }

  private boolean flag(String key, Option option, @Nullable Object value) {
    if (value instanceof Boolean on) {
      return on;
    }
    throw wrong(key, rule(option));
  }

  private List<String> texts(String key, Option option, @Nullable Object value) {
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

  private String text(String key, Option option, @Nullable Object value) {
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

  private UsageException wrong(String key, String rule) {
    return new UsageException(at(key) + key + " must be " + rule);
  }

  private String at(String key) {
    TomlPosition position = toml.inputPositionOf(List.of(key));
    return file + ", line " + (position == null ? "?" : position.line()) + ": ";
  }
}
