package dev.millrace.engine.internal.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a model that an origin has: embedding and head, its first layers or none, and the
 * threads that compute with them, for one caller at a time.
 */
public final class EndModel implements AutoCloseable {
  private final ModelConfig config;
  private final LoadSettings settings;
  private final GgufMetadata metadata;
  private final ComputePool pool;
  private final Arena arena = Arena.ofShared();
  private final EmbeddingAndHeadWeights end;
  private final @Nullable SegmentWeights weights;
  private boolean closed;

  private EndModel(Gguf gguf, int layers, LoadSettings asked) {
    config = ModelConfig.of(gguf);
    settings = asked.resolve(config);
    metadata = gguf.metadata();
    pool = new ComputePool(settings.threads());
    try {
      end = EmbeddingAndHeadWeights.load(gguf, config, settings, pool, arena);
      weights =
          layers == 0
              ? null
              : SegmentWeights.load(gguf, config, 0, layers, settings.kernels(), pool);
    } catch (Throwable e) {
      pool.close();
      arena.close();
      throw e;
    }
  }

  /**
   * Loads embedding, head and first layers from an open file, which may be closed afterwards.
   *
   * @param layers how many; 0: none
   * @throws EngineException if the model cannot be run here, or has fewer layers; the message says
   *     why
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

  /** The settings with the model's own values for what was left open. */
  public LoadSettings settings() {
    return settings;
  }

  /** The file's metadata: tokenizer, template, … */
  public GgufMetadata metadata() {
    return metadata;
  }

  /** The threads that compute. */
  public ComputePool pool() {
    return pool;
  }

  public EmbeddingAndHeadWeights end() {
    return end;
  }

  /** The first layers; null if there are none. */
  public @Nullable SegmentWeights weights() {
    return weights;
  }

  /**
   * Opens the first layers as a segment with its own KV cache: one for each pipe. Empty if there
   * are none here.
   */
  public List<LayerSegment> openSegments() {
    return weights == null ? List.of() : List.of(weights.open(0, weights.to(), settings));
  }

  /** The bytes of the matrices. */
  public long weightBytes() {
    return end.weightBytes() + (weights == null ? 0 : weights.weightBytes());
  }

  /** The bytes of the keys and values of one position, over the layers here. */
  public long kvBytesPerToken() {
    return weights == null
        ? 0
        : LayerSegment.storeShape(config, settings, weights.to()).bytesPerPage()
            / KvPageSize.POSITIONS;
  }

  /** Frees threads and memory, also of all segments; nothing may be computing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    end.close();
    pool.close();
    if (weights != null) {
      weights.close();
    }
    arena.close();
  }
}
