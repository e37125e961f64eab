package dev.millrace.cli;

import dev.millrace.engine.gguf.ModelFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where other programs keep the models that they have downloaded. */
final class ModelPlaces {
  private static final String OLLAMA = "ollama";

  /** Where Ollama keeps its models when it runs as a service of the system. */
  private static final Path SERVICE = Path.of("/usr/share/ollama/.ollama/models");

  /**
   * A directory of models.
   *
   * @param owner the program that keeps models there
   */
  record Place(String owner, Path directory) {
    ModelFiles.Found find() {
      return owner.equals(OLLAMA) ? OllamaModels.find(directory) : ModelFiles.find(directory);
    }
  }

  private final Shell shell;
  private final List<Place> places = new ArrayList<>();

  private ModelPlaces(Shell shell) {
    this.shell = shell;
  }

  /** The usual places that exist. */
  static List<Place> usual(Shell shell) {
    ModelPlaces usual = new ModelPlaces(shell);
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
      places.add(new Place(owner, directory));
    }
  }
}
