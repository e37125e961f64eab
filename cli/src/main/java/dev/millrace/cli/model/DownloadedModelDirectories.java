package dev.millrace.cli.model;

import dev.millrace.cli.command.Shell;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Directories in which other programs keep downloaded models. */
final class DownloadedModelDirectories {
  private static final String OLLAMA = "ollama";

  /** Where Ollama keeps its models when it runs as a service of the system. */
  private static final Path SERVICE = Path.of("/usr/share/ollama/.ollama/models");

  /**
   * A directory of models.
   *
   * @param owner the program that keeps models there
   */
  record Location(String owner, Path directory) {
    ModelFileFinder.Found find() {
      return owner.equals(OLLAMA) ? OllamaModels.find(directory) : ModelFileFinder.find(directory);
    }

    /** The models with such a name: that of the file, or the last part of Ollama's. */
    List<ModelFileFinder.Model> find(Predicate<String> names) {
      return owner.equals(OLLAMA)
          ? OllamaModels.find(directory).models().stream()
              .filter(
                  model -> names.test(model.name().substring(model.name().lastIndexOf('/') + 1)))
              .toList()
          : ModelFileFinder.find(directory, names).models();
    }
  }

  private final Shell shell;
  private final List<Location> places = new ArrayList<>();

  private DownloadedModelDirectories(Shell shell) {
    this.shell = shell;
  }

  /** The usual directories, as far as they exist. */
  static List<Location> usual(Shell shell) {
    DownloadedModelDirectories usual = new DownloadedModelDirectories(shell);
    String home = shell.variable("HOME");
    Path user = Path.of(home == null ? System.getProperty("user.home") : home);
    Path cache = usual.named("XDG_CACHE_HOME", user.resolve(".cache"));
    usual.add(OLLAMA, usual.named("OLLAMA_MODELS", user.resolve(".ollama/models")));
    if (shell.variable("OLLAMA_MODELS") == null) {
      usual.add(OLLAMA, SERVICE);
    }
    usual.add("lm-studio", user.resolve(".lmstudio/models"));
    usual.add("lm-studio", user.resolve(".cache/lm-studio/models"));
    Path hub = usual.named("HF_HOME", cache.resolve("huggingface")).resolve("hub");
    usual.add("huggingface", usual.named("HF_HUB_CACHE", hub));
    usual.add("llama.cpp", usual.named("LLAMA_CACHE", cache.resolve("llama.cpp")));
    return usual.places;
  }

  private Path named(String variable, Path otherwise) {
    String value = shell.variable(variable);
    return value == null ? otherwise : shell.path(value);
  }

  private void add(String owner, Path directory) {
    if (Files.isDirectory(directory)) {
      places.add(new Location(owner, directory));
    }
  }
}
