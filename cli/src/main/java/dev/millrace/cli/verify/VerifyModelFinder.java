package dev.millrace.cli.verify;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.model.ModelHash;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.SanitizedText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the model file that a job used: names are hints, the SHA-256 decides. */
final class VerifyModelFinder {
  private final Shell shell;
  private final Arguments given;
  private final PlaceOwner owner;
  private final Map<Path, String> hashes = new LinkedHashMap<>();

  VerifyModelFinder(Shell shell, Arguments given, PlaceOwner owner) {
    this.shell = shell;
    this.given = given;
    this.owner = owner;
  }

  /**
   * The file of model {@code name} with this hash.
   *
   * @throws CommandException that names the files that were tried
   */
  Path find(String name, String sha256) {
    Set<Path> candidates = candidates(name);
    for (Path file : candidates) {
      if (hash(file).equals(sha256)) {
        return file;
      }
    }
    List<String> seen = new ArrayList<>();
    for (Path file : candidates) {
      seen.add(file + " (SHA-256 " + brief(hash(file)) + ")");
    }
    throw new CommandException(
        "model \""
            + SanitizedText.line(name, 100)
            + "\" with SHA-256 "
            + brief(sha256)
            + " was not found"
            + (seen.isEmpty() ? "" : "; looked at " + String.join(", ", seen))
            + "; name its file with --model");
  }

  private static String brief(String sha256) {
    return sha256.length() > 16 ? sha256.substring(0, 16) + "…" : sha256;
  }

  private String hash(Path file) {
    return hashes.computeIfAbsent(file, ModelHash::of);
  }

  private Set<Path> candidates(String name) {
    Set<Path> files = new LinkedHashSet<>();
    for (String named : given.all(VerifyCommand.MODEL)) {
      add(files, ModelChoice.of(shell, named).file());
    }
    if (!files.isEmpty()) {
      return files; // the user's choice is the only candidate
    }
    add(files, served(name));
    add(files, HouseModel.find().orElse(null));
    if (!name.isBlank()) {
      ModelChoice.candidates(shell, name).forEach(file -> add(files, file));
    }
    return files;
  }

  private static void add(Set<Path> files, @Nullable Path file) {
    if (file != null && Files.isReadable(file)) {
      files.add(file.toAbsolutePath().normalize());
    }
  }

  /**
   * The model's file according to the workspace's server; null if the announcement does not say.
   */
  private @Nullable Path served(String name) {
    if (!(owner.info().get("models") instanceof List<?> models)) {
      return null;
    }
    for (Object each : models) {
      if (each instanceof Map<?, ?> model
          && name.equals(model.get("name"))
          && model.get("file") instanceof String file) {
        return shell.path(file);
      }
    }
    return null;
  }
}
