package dev.millrace.engine.internal.model;

import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import java.nio.file.Path;

/**
 * A whole model in one process: all layers as one segment, with embedding and head. Its threads
 * compute for one caller at a time.
 */
public final class LocalModel implements AutoCloseable {
  private final EndModel parts;
  private final LayerSegment segment;

  private LocalModel(Gguf gguf, LoadSettings asked) {
    parts = EndModel.open(gguf, ModelConfig.of(gguf).layers(), asked);
    try {
      segment = parts.openSegments().getFirst();
    } catch (Throwable e) {
      parts.close();
      throw e;
    }
  }

  /**
   * Loads a model.
   *
   * @throws dev.millrace.engine.error.EngineException if it cannot be run here; the message says
   *     why
   */
  public static LocalModel open(Path file, LoadSettings settings) {
    try (Gguf gguf = Gguf.open(file)) {
      return open(gguf, settings);
    }
  }

  /** Loads a model from an open file, which may be closed afterwards. */
  public static LocalModel open(Gguf gguf, LoadSettings settings) {
    return new LocalModel(gguf, settings);
  }

  public ModelConfig config() {
    return parts.config();
  }

  /** The settings with the model's own values for what was left open. */
  public LoadSettings settings() {
    return parts.settings();
  }

  /** The file's metadata: tokenizer, template, … */
  public GgufMetadata metadata() {
    return parts.metadata();
  }

  public LayerSegment segment() {
    return segment;
  }

  public EmbeddingAndHeadWeights end() {
    return parts.end();
  }

  /** The positions that a sequence may have. */
  public int context() {
    return settings().context();
  }

  /** The bytes of the matrices. */
  public long weightBytes() {
    return parts.weightBytes();
  }

  /** The bytes of the keys and values of one position, over all layers. */
  public long kvBytesPerToken() {
    return parts.kvBytesPerToken();
  }

  /** Computes embeddings, in pages of this model that nothing else may use meanwhile. */
  public Embedder embedder() {
    return new Embedder(config(), settings(), segment, end());
  }

  /** Frees threads and memory; nothing may be computing. */
  @Override
  public void close() {
    parts.close();
  }
}
