package dev.millrace.engine.model;

import dev.millrace.engine.EngineException;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.Metadata;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.tensor.Crew;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * A whole model in one process: all layers as one segment, and the end. Its threads compute for one
 * caller at a time.
 */
public final class Model implements AutoCloseable {
  private final ModelConfig config;
  private final LoadSettings settings;
  private final Metadata metadata;
  private final Crew crew;
  private final Arena arena;
  private final LayerSegment segment;
  private final ModelEnd end;
  private boolean closed;

  private Model(Gguf gguf, LoadSettings asked) {
    this.config = ModelConfig.of(gguf);
    this.settings = asked.resolve(config);
    this.metadata = gguf.metadata();
    this.crew = new Crew(settings.threads());
    this.arena = Arena.ofShared();
    try {
      this.end = ModelEnd.load(gguf, config, settings, crew, arena);
      this.segment = LayerSegment.load(gguf, config, 0, config.layers(), settings, crew, arena);
    } catch (Throwable e) {
      crew.close();
      arena.close();
      throw e;
    }
  }

  /**
   * Loads a model.
   *
   * @throws dev.millrace.engine.EngineException when it is not one that can be run here; the
   *     message says why
   */
  public static Model open(Path file, LoadSettings settings) {
    try (Gguf gguf = Gguf.open(file)) {
      return open(gguf, settings);
    }
  }

  /** Loads a model from an open file, which may be closed afterwards. */
  public static Model open(Gguf gguf, LoadSettings settings) {
    try {
      return new Model(gguf, settings);
    } catch (OutOfMemoryError e) {
      throw new EngineException(
          "%s: there is not enough memory for this model (%s); ask for a smaller context, fewer pages or smaller turns, or take a smaller model"
              .formatted(gguf.file(), e.getMessage()),
          e);
    }
  }

  public ModelConfig config() {
    return config;
  }

  /** The settings with what was left to the model filled in. */
  public LoadSettings settings() {
    return settings;
  }

  /** The file's metadata: tokenizer, template, … */
  public Metadata metadata() {
    return metadata;
  }

  public LayerSegment segment() {
    return segment;
  }

  public ModelEnd end() {
    return end;
  }

  /** The positions that a sequence may have. */
  public int context() {
    return settings.context();
  }

  /** What the matrices take. */
  public long weightBytes() {
    return segment.weightBytes() + end.weightBytes();
  }

  /** What the keys and values of one position take, over all layers. */
  public long kvBytesPerToken() {
    return segment.store().shape().bytesPerPage() / Pages.SIZE;
  }

  /** Turns texts into vectors, in pages of this model that nobody else may use meanwhile. */
  public Embedder embedder() {
    return new Embedder(config, settings, segment, end);
  }

  /** Frees threads and memory; nobody may be computing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    end.close();
    crew.close();
    segment.close();
    arena.close();
  }
}
