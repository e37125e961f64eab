package dev.millrace.cli.config;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.ConfiguredOptions;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.Shell;
import java.nio.file.Path;
import java.util.List;
import org.tomlj.TomlPosition;

/** The options that a Language Pipes file sets for one use, as they are found. */
final class LanguagePipesTranslation {
  private final Shell shell;
  private final ConfigurationFile file;
  private final Arguments given;
  private final List<Option> known;
  private final ConfigurationUse use;
  private final ConfigurationProblems problems;
  private final LanguagePipesTable root;
  private final TranslatedOptions own = new TranslatedOptions();
  private final TranslatedOptions all = new TranslatedOptions();

  LanguagePipesTranslation(
      Shell shell,
      ConfigurationFile file,
      Arguments given,
      List<Option> known,
      ConfigurationUse use) {
    this.shell = shell;
    this.file = file;
    this.given = given;
    this.known = List.copyOf(known);
    this.use = use;
    this.problems = new ConfigurationProblems(file.file());
    this.root = new LanguagePipesTable(file.toml(), "", problems);
  }

  /** Reads the keys that are Millrace's own, and reports those that mean nothing here. */
  void readOtherKeys() {
    for (String key : file.toml().keySet()) {
      TomlPosition at = file.toml().inputPositionOf(List.of(key));
      String replacement = LanguagePipesKeys.REPLACED.get(key);
      if (LanguagePipesKeys.READ.contains(key)) {
        continue;
      }
      if (replacement == null && (isKnown(key) || !isPart())) {
        file.read(key, known, LanguagePipesKeys.READ, own, problems);
      } else if (replacement != null && use != ConfigurationUse.QUERY) {
        problems.add(at, key + ": " + replacement);
      }
    }
    all.putAll(own);
  }

  private boolean isKnown(String key) {
    return known.stream().anyMatch(option -> option.name().equals(key));
  }

  /** Whether another reading of the same file reports what this one skips. */
  private boolean isPart() {
    return use == ConfigurationUse.LAYERS_OF_SERVER;
  }

  /** Whether the command line, or a key of Millrace in the file, sets the option. */
  boolean isSet(String option) {
    return own.has(option)
        || known.stream().anyMatch(each -> each.name().equals(option) && given.has(each));
  }

  /** Sets an option by a key of Language Pipes. */
  void set(String option, List<String> texts, LanguagePipesTable table, String key) {
    if (own.has(option)) {
      table.problem(key, "the file sets " + option + " too, which means the same; remove one");
    } else {
      all.put(option, texts, table.source(key));
    }
  }

  /** Sets an option that neither the file nor the command line sets. */
  void setDefault(String option, String text, String reason) {
    if (!isSet(option)) {
      all.put(option, List.of(text), problems.at(null, reason));
    }
  }

  void missing(String text) {
    problems.missing(text);
  }

  Shell shell() {
    return shell;
  }

  Path file() {
    return file.file();
  }

  ConfigurationUse use() {
    return use;
  }

  LanguagePipesTable root() {
    return root;
  }

  /** Whether the process has layers and an end, so that it is two members of the network. */
  boolean hasBoth() {
    return root.lists(LanguagePipesKeys.LAYER_MODELS)
        && (root.lists(LanguagePipesKeys.END_MODELS) || isSet("end-model"));
  }

  ConfiguredOptions options() {
    problems.throwIfAny();
    return all.options();
  }
}
