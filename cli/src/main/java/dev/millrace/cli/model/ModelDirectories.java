package dev.millrace.cli.model;

import dev.millrace.cli.command.Shell;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The directories in which models are found by name: first the user's own, then those of other
 * programs.
 */
final class ModelDirectories {
  private static final String OLLAMA = "ollama";

  /** Where Ollama keeps its models when it runs as a service of the system. */
  private static final Path SERVICE = Path.of("/usr/share/ollama/.ollama/models");

  /**
   * A directory of models; it may not exist.
   *
   * @param place what it is: a variable, a directory, or the program that keeps models there
   * @param prefix sets its models apart from others of the same name
   */
  record Location(String place, String prefix, Path directory) {
    boolean isOllama() {
      return place.equals(OLLAMA);
    }

    /** Whether the user named it in a variable, so that it should exist. */
    boolean isVariable() {
      return place.endsWith("_MODELS_DIR");
    }

    /** All paths of its models. */
    ModelFileFinder.Found find() {
      return isOllama() ? OllamaModels.find(directory) : ModelFileFinder.findPaths(directory);
    }

    /** The models with such a name: that of the file, or the last part of Ollama's. */
    List<ModelFileFinder.Model> find(Predicate<String> names) {
      return isOllama()
          ? OllamaModels.find(directory).models().stream()
              .filter(
                  model -> names.test(model.name().substring(model.name().lastIndexOf('/') + 1)))
              .toList()
          : ModelFileFinder.find(directory, names).models();
    }
  }

  private final Shell shell;
  private final List<Location> locations = new ArrayList<>();
  private final Set<Path> known = new HashSet<>();

  private ModelDirectories(Shell shell) {
    this.shell = shell;
  }

  /** All of them, in order. */
  static List<Location> all(Shell shell) {
    ModelDirectories directories = new ModelDirectories(shell);
    directories.addOwn();
    directories.addDownloads();
    return directories.locations;
  }

  /** The user's own, in the order in which nrvna searches. */
  static List<Path> own(Shell shell) {
    ModelDirectories directories = new ModelDirectories(shell);
    directories.addOwn();
    return directories.locations.stream().map(Location::directory).toList();
  }

  private void addOwn() {
    for (String variable : new String[] {"MILLRACE_MODELS_DIR", "NRVNA_MODELS_DIR"}) {
      String value = shell.variable(variable);
      if (value != null) {
        addOwn(variable, shell.path(value));
      }
    }
    HouseModel.home()
        .ifPresent(
            home -> {
              addOwn("millrace", home.resolve("models"));
              addOwn("millrace", home.resolve("../models"));
            });
    addOwn("./models", shell.directory().resolve("models"));
  }

  private void addOwn(String place, Path directory) {
    Path normal = directory.normalize();
    add(new Location(place, String.valueOf(normal.getFileName()), normal));
  }

  private void addDownloads() {
    String home = shell.variable("HOME");
    Path user = Path.of(home == null ? System.getProperty("user.home") : home);
    Path cache = named("XDG_CACHE_HOME", user.resolve(".cache"));
    addDownloads(OLLAMA, named("OLLAMA_MODELS", user.resolve(".ollama/models")));
    if (shell.variable("OLLAMA_MODELS") == null) {
      addDownloads(OLLAMA, SERVICE);
    }
    addDownloads("lm-studio", user.resolve(".lmstudio/models"));
    addDownloads("lm-studio", user.resolve(".cache/lm-studio/models"));
    Path hub = named("HF_HOME", cache.resolve("huggingface")).resolve("hub");
    addDownloads("huggingface", named("HF_HUB_CACHE", hub));
    addDownloads("llama.cpp", named("LLAMA_CACHE", cache.resolve("llama.cpp")));
  }

  private Path named(String variable, Path otherwise) {
    String value = shell.variable(variable);
    return value == null ? otherwise : shell.path(value);
  }

  private void addDownloads(String owner, Path directory) {
    if (Files.isDirectory(directory)) {
      add(new Location(owner, owner, directory));
    }
  }

  private void add(Location location) {
    if (known.add(location.directory())) {
      locations.add(location);
    }
  }
}
