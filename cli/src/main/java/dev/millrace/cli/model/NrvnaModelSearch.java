package dev.millrace.cli.model;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.SanitizedText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.TreeMap;

/**
 * nrvna's rule for a model that is not a path: the first {@code *.gguf}, in order of the names,
 * that has the text in its name, upper or lower case, in the first directory that has any.
 */
public final class NrvnaModelSearch {
  private NrvnaModelSearch() {}

  /**
   * What {@code --model} of "serve" takes for nrvna's MODEL: the file that the rule finds, or the
   * text itself where it finds none. A warning names all files that match.
   */
  public static String option(Shell shell, String text) {
    int equals = text.indexOf('=');
    if (text.isEmpty() || Files.exists(shell.path(text)) || text.equals(HouseModel.NAME)) {
      return text;
    }
    if (equals > 0 && equals < text.length() - 1) {
      return text.substring(0, equals + 1) + option(shell, text.substring(equals + 1));
    }
    TreeMap<String, Path> matches = matches(shell, text);
    if (matches.isEmpty()) {
      return text;
    }
    if (matches.size() > 1) {
      warn(shell, text, matches);
    }
    return matches.firstEntry().getValue().toAbsolutePath().normalize().toString();
  }

  private static TreeMap<String, Path> matches(Shell shell, String part) {
    String wanted = part.toLowerCase(Locale.ROOT);
    for (Path directory : ModelDirectories.own(shell)) {
      TreeMap<String, Path> models = models(directory);
      models.keySet().removeIf(name -> !name.toLowerCase(Locale.ROOT).contains(wanted));
      if (!models.isEmpty()) {
        return models;
      }
    }
    return new TreeMap<>();
  }

  private static void warn(Shell shell, String part, TreeMap<String, Path> matches) {
    String names = String.join(", ", matches.keySet());
    shell
        .err()
        .println(
            "Warning: \""
                + SanitizedText.line(part, 100)
                + "\" is in the names of several models: "
                + SanitizedText.line(names, 500)
                + "; using "
                + SanitizedText.line(matches.firstEntry().getValue().toString(), 500));
  }

  private static TreeMap<String, Path> models(Path directory) {
    TreeMap<String, Path> models = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        String lower = name.toLowerCase(Locale.ROOT);
        // A vision projector is not a model by itself.
        if (lower.endsWith(".gguf") && !lower.contains("mmproj") && Files.isRegularFile(entry)) {
          models.put(name, entry);
        }
      }
    } catch (IOException e) {
      models.clear(); // a missing or unreadable directory has no models
    }
    return models;
  }
}
