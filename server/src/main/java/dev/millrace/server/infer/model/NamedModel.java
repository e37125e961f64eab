package dev.millrace.server.infer.model;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A model to serve: its file and the name that jobs use.
 *
 * @param name the name that jobs use
 * @param remoteOpener opens a model with layers at other nodes; null: the whole file is loaded here
 */
public record NamedModel(String name, Path file, @Nullable RemoteModelOpener remoteOpener) {
  private static final String SUFFIX = ".gguf";

  public NamedModel {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a model must have a name: " + file);
    }
  }

  public NamedModel(String name, Path file) {
    this(name, file, null);
  }

  /** A model with the name of its file, without {@code .gguf}. */
  public static NamedModel of(Path file) {
    String name = String.valueOf(file.getFileName());
    return new NamedModel(
        name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name, file);
  }
}
