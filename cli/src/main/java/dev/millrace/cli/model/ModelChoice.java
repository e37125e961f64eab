package dev.millrace.cli.model;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.SanitizedText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The model that a user means by {@code --model}: a path; {@code ALIAS=MODEL}; {@code house}; else
 * a part of a file's name, found in the same directories as nrvna.
 *
 * @param name what jobs call it
 */
public record ModelChoice(String name, Path file) {
  private static final String SUFFIX = ".gguf";
  private static final Pattern ALIAS = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}");
  private static final Pattern PART = Pattern.compile("(.+)-\\d{5}-of-\\d{5}");

  public static ModelChoice of(Shell shell, String text) {
    Path path = shell.path(text);
    int equals = text.indexOf('=');
    if (Files.exists(path) || equals < 0) {
      return plain(shell, text, path);
    }
    String alias = text.substring(0, equals);
    if (!isAlias(alias) || equals == text.length() - 1) {
      throw new UsageException(
          "--model \""
              + text
              + "\": neither a file nor ALIAS=PATH; an alias is 1 to 100 letters, digits and . _ :"
              + " @ / -");
    }
    String target = text.substring(equals + 1);
    return new ModelChoice(alias, plain(shell, target, shell.path(target)).file());
  }

  /** Whether a model may have this name in {@code ALIAS=MODEL}. */
  static boolean isAlias(String text) {
    return ALIAS.matcher(text).matches();
  }

  private static ModelChoice plain(Shell shell, String text, Path path) {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      return of(path);
    }
    if (text.equals(HouseModel.NAME)) {
      return new ModelChoice(HouseModel.NAME, HouseModel.file());
    }
    ModelChoice found = find(shell, text).orElseThrow(() -> missing(shell, text, path));
    warnIfSeveral(shell, text);
    return found;
  }

  /** A file by its own name. */
  static ModelChoice of(Path file) {
    boolean house = HouseModel.find().filter(file::equals).isPresent();
    return new ModelChoice(house ? HouseModel.NAME : stem(file), file);
  }

  /** A file's name, less its suffix and, of a split model, the number of its part. */
  public static String stem(Path file) {
    return stem(String.valueOf(file.getFileName()));
  }

  public static String stem(String name) {
    String stem = isModel(name) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    var part = PART.matcher(stem);
    return part.matches() ? part.group(1) : stem;
  }

  /** The first file, in order of the names, that has {@code part} in its name. */
  public static Optional<ModelChoice> find(Shell shell, String part) {
    TreeMap<String, Path> matches = matches(shell, part);
    return matches.isEmpty() ? Optional.empty() : Optional.of(of(matches.firstEntry().getValue()));
  }

  /** The files with {@code part} in their names, in the first directory that has any. */
  private static TreeMap<String, Path> matches(Shell shell, String part) {
    String wanted = part.toLowerCase(Locale.ROOT);
    for (Path directory : directories(shell)) {
      TreeMap<String, Path> models = models(directory);
      models.keySet().removeIf(name -> !name.toLowerCase(Locale.ROOT).contains(wanted));
      if (!models.isEmpty()) {
        return models;
      }
    }
    return new TreeMap<>();
  }

  private static void warnIfSeveral(Shell shell, String part) {
    TreeMap<String, Path> matches = matches(shell, part);
    if (matches.size() > 1) {
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
  }

  private static TreeMap<String, Path> models(Path directory) {
    TreeMap<String, Path> models = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        // A vision projector is not a model by itself.
        if (isModel(name)
            && !name.toLowerCase(Locale.ROOT).contains("mmproj")
            && Files.isRegularFile(entry)) {
          models.put(name, entry);
        }
      }
    } catch (IOException e) {
      models.clear(); // a missing or unreadable directory has no models
    }
    return models;
  }

  private static boolean isModel(String name) {
    return name.toLowerCase(Locale.ROOT).endsWith(SUFFIX);
  }

  /** Where models are found by a part of their name. */
  static List<Path> directories(Shell shell) {
    List<Path> places = new ArrayList<>();
    for (String variable : new String[] {"MILLRACE_MODELS_DIR", "NRVNA_MODELS_DIR"}) {
      String value = shell.variable(variable);
      if (value != null) {
        places.add(shell.path(value));
      }
    }
    HouseModel.home()
        .ifPresent(
            home -> {
              places.add(home.resolve("models"));
              places.add(home.resolve("../models"));
            });
    places.add(shell.directory().resolve("models"));
    return places.stream().map(Path::normalize).distinct().toList();
  }

  private static CommandException missing(Shell shell, String text, Path path) {
    if (Files.isDirectory(path)) {
      return new CommandException(
          SanitizedText.line(text, 500) + " is a directory: name a GGUF file in it as the model");
    }
    List<String> places = directories(shell).stream().map(Path::toString).toList();
    return new CommandException(
        SanitizedText.line(path.toString(), 500)
            + ": there is no such file, and no model with \""
            + SanitizedText.line(text, 100)
            + "\" in its name in "
            + String.join(", ", places)
            + "; \"millrace models\" lists files, and \"house\" is the bundled model");
  }
}
