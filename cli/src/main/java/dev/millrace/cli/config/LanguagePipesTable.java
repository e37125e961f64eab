package dev.millrace.cli.config;

import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.terminal.SanitizedText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * A table of a Language Pipes file. A value of the wrong type becomes a problem and reads as
 * absent. No problem quotes a value that may be secret.
 */
final class LanguagePipesTable {
  private final TomlTable table;
  private final String path;
  private final ConfigurationProblems problems;

  LanguagePipesTable(TomlTable table, String path, ConfigurationProblems problems) {
    this.table = table;
    this.path = path;
    this.problems = problems;
  }

  boolean has(String key) {
    return table.contains(List.of(key));
  }

  /** Whether the key is there, and not with an empty list. */
  boolean lists(String key) {
    return has(key) && !(value(key) instanceof TomlArray array && array.isEmpty());
  }

  @Nullable Object value(String key) {
    return table.get(List.of(key));
  }

  void problem(String key, String text) {
    problems.add(position(key), path + key + ": " + text);
  }

  /** The key as errors of the command name it. */
  String source(String key) {
    return problems.at(position(key), path + key);
  }

  private @Nullable TomlPosition position(String key) {
    return table.inputPositionOf(List.of(key));
  }

  @Nullable String text(String key, String rule) {
    Object value = value(key);
    if (value instanceof String text && !text.isBlank()) {
      return text.strip();
    }
    if (value != null) {
      problem(key, "it must be a text in quotes, " + rule);
    }
    return null;
  }

  /** A whole number between the two; {@code otherwise} if it is absent or wrong. */
  int integer(String key, int least, int most, int otherwise) {
    Object value = value(key);
    if (value instanceof Long number && number >= least && number <= most) {
      return number.intValue();
    }
    if (value != null) {
      problem(key, "it must be a whole number from " + least + " to " + most);
    }
    return otherwise;
  }

  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    if (value(key) instanceof TomlArray array) {
      for (int i = 0; i < array.size(); i++) {
        if (array.get(i) instanceof String text && !text.isBlank()) {
          texts.add(text);
        } else {
          problems.add(
              array.inputPositionOf(i),
              path + key + ": entry " + (i + 1) + " must be a text in quotes that is not empty");
        }
      }
    } else if (has(key)) {
      problem(key, "it must be a list of texts, [\"…\", \"…\"]");
    }
    return texts;
  }

  /** The tables of a list, whose keys must be among {@code known}. */
  List<LanguagePipesTable> tables(String key, List<String> known) {
    List<LanguagePipesTable> tables = new ArrayList<>();
    if (value(key) instanceof TomlArray array) {
      for (int i = 0; i < array.size(); i++) {
        if (array.get(i) instanceof TomlTable each) {
          LanguagePipesTable read = new LanguagePipesTable(each, key + ".", problems);
          read.requireKeys(known);
          tables.add(read);
        } else {
          problems.add(array.inputPositionOf(i), tableRule(key, known));
        }
      }
    } else if (has(key)) {
      problems.add(position(key), tableRule(key, known));
    }
    return tables;
  }

  private static String tableRule(String key, List<String> known) {
    return key + ": write [[" + key + "]] with " + String.join(", ", known);
  }

  private void requireKeys(List<String> known) {
    for (String key : table.keySet()) {
      if (!known.contains(key)) {
        String close = Suggestion.closest(key, known);
        problems.add(
            position(key),
            "there is no key \""
                + SanitizedText.line(key, 60)
                + "\" in "
                + path.substring(0, path.length() - 1)
                + "; "
                + (close == null
                    ? "known are " + String.join(", ", known)
                    : "did you mean " + close + "?"));
      }
    }
  }
}
