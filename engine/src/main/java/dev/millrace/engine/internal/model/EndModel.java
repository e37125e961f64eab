package dev.millrace.engine.internal.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.pipe.KvPages;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an origin has of a model: the end, its first layers or none, and the threads that compute
 * with them, for one caller at a time.
 */
public final class EndModel implements AutoCloseable {
  private final ModelConfig config;
  private final LoadSettings settings;
  private final GgufMetadata metadata;
  private final ComputePool crew;
  private final Arena arena = Arena.ofShared();
  private final EmbeddingAndHeadWeights end;
  private final @Nullable SegmentWeights weights;
  private boolean closed;

  private EndModel(Gguf gguf, int layers, LoadSettings asked) {
    config = ModelConfig.of(gguf);
    settings = asked.resolve(config);
    metadata = gguf.metadata();
    crew = new ComputePool(settings.threads());
    try {
      end = EmbeddingAndHeadWeights.load(gguf, config, settings, crew, arena);
      weights =
          layers == 0
              ? null
              : SegmentWeights.load(gguf, config, 0, layers, settings.kernels(), crew);
    } catch (Throwable e) {
      crew.close();
      arena.close();
      throw e;
    }
  }

  /**
   * Loads the end and the first layers from an open file, which may be closed afterwards.
   *
   * @param layers how many; 0: none
   * @throws EngineException when the model is not one that can be run here, or has fewer layers;
   *     the message says why
   */
  public static EndModel open(Gguf gguf, int layers, LoadSettings settings) {
    try {
      return new EndModel(gguf, layers, settings);
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
  public GgufMetadata metadata() {
    return metadata;
  }

  /** Who computes. */
  public ComputePool crew() {
    return crew;
  }

  public EmbeddingAndHeadWeights end() {
    return end;
  }

  /** The first layers; null: it has none. */
  public @Nullable SegmentWeights weights() {
    return weights;
  }

  /** How many layers are here. */
  public int layers() {
    return weights == null ? 0 : weights.to();
  }

  /**
   * The first layers as a segment with keys and values of its own: one for each pipe. Empty where
   * there are none here.
   */
  public List<LayerSegment> openSegments() {
    return weights == null ? List.of() : List.of(weights.open(0, weights.to(), settings));
  }

  /** What the matrices take. */
  public long weightBytes() {
    return end.weightBytes() + (weights == null ? 0 : weights.weightBytes());
  }

  /** What the keys and values of one position take, over the layers here. */
  public long kvBytesPerToken() {
    return weights == null
        ? 0
        : LayerSegment.storeShape(config, settings, weights.to()).bytesPerPage() / KvPages.SIZE;
  }

  /** Frees threads and memory, of all segments too; nobody may be computing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    end.close();
    crew.close();
    if (weights != null) {
      weights.close();
    }
    arena.close();
  }
}
