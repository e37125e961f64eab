package dev.millrace.engine.internal.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.layer.MatMul;
import dev.millrace.engine.internal.layer.Norm;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * A model's embedding, final norm and head. An encoder has a norm in its embedding, none at its
 * end, and no head.
 */
public final class EmbeddingAndHeadWeights implements EmbeddingAndHead {
  /** The number of logits that one task of a parallel loop caps. */
  private static final int CHUNK = 8192;

  private boolean closed;
  private final ModelConfig config;
  private final ComputePool pool;
  private final Arithmetic arithmetic;
  private final TokenEmbedding embedding;
  private final Matrix
      output; // (vocabulary, width); the embedding matrix if the model has no other
  private final @Nullable Norm norm;
  private final Activations normed; // (row, width)
  private final int maxRows; // of normed: more go through the head in several steps
  private final MatMul head;
  private final ComputePool.ParallelLoop enter = this::enter;
  private final ComputePool.ParallelLoop bound = this::bound;
  private float[] hidden = {}; // (row, width)
  private int[] rows = {}; // the rows that head was called for
  private int first; // of these, the first of a step
  private float[] logits = {}; // (row, vocabulary)

  /**
   * Loads the weights.
   *
   * @param pool computes; the caller owns it
   * @param arena holds the weights; the caller owns it, and keeps it open while this is in use
   */
  public static EmbeddingAndHeadWeights load(
      Gguf gguf, ModelConfig config, LoadSettings settings, ComputePool pool, Arena arena) {
    WeightLoader weights = WeightLoader.packed(gguf, config, settings.kernels(), pool, arena);
    return new EmbeddingAndHeadWeights(weights, config, settings.resolve(config), pool);
  }

  EmbeddingAndHeadWeights(
      WeightLoader weights, ModelConfig config, LoadSettings settings, ComputePool pool) {
    this.config = config;
    this.pool = pool;
    this.arithmetic = Arithmetic.of(settings.kernels());
    this.embedding = new TokenEmbedding(weights, config, arithmetic, pool);
    this.output =
        weights.has("output.weight") ? weights.matrix("output.weight") : embedding.tokens();
    this.norm = config.architecture().isEncoder() ? null : weights.norm("output_norm");
    this.maxRows = Math.min(settings.maxRows(), settings.maxRuns());
    this.normed =
        new Activations(config.width(), maxRows, output.takesIntegers(), settings.kernels());
    this.head = new MatMul(pool, normed, new MatMul.Factor(output, null));
  }

  @Override
  public int vocabulary() {
    return config.vocabulary();
  }

  @Override
  public int width() {
    return config.width();
  }

  @Override
  public void embed(Batch batch, int row, int[] tokens, int offset, int count) {
    if (closed) {
      throw new IllegalStateException("this end is closed");
    }
    embedding.fill(batch, row, tokens, offset, count);
  }

  @Override
  public void norm(Batch batch, int row, float[] out, int offset) {
    if (norm == null) {
      System.arraycopy(batch.hidden, row * config.width(), out, offset, config.width());
    } else {
      norm.apply(batch.hidden, row * config.width(), out, offset);
    }
  }

  @Override
  public void head(Batch batch, int[] rows, int count, float[] logits) {
    if (closed) {
      throw new IllegalStateException("this end is closed");
    }
    if (norm == null) {
      throw new EngineException(
          "model '%s' is an encoder: it gives embeddings, not tokens".formatted(config.name()));
    }
    this.hidden = batch.hidden;
    this.rows = rows;
    this.logits = logits;
    for (first = 0; first < count; first += maxRows) {
      int step = Math.min(maxRows, count - first);
      pool.run(step, enter);
      head.run(step, logits, first);
    }
    if (config.logitSoftcap() > 0) {
      pool.run(count * Math.ceilDiv(config.vocabulary(), CHUNK), bound);
    }
  }

  private void enter(int i, int worker) {
    int width = config.width();
    assert norm != null;
    norm.apply(hidden, rows[first + i] * width, normed.values, i * width);
    normed.prepareRow(i);
  }

  private void bound(int part, int worker) {
    int vocabulary = config.vocabulary();
    int chunks = Math.ceilDiv(vocabulary, CHUNK);
    int from = part % chunks * CHUNK;
    int length = Math.min(CHUNK, vocabulary - from);
    arithmetic.softcap(logits, part / chunks * vocabulary + from, length, config.logitSoftcap());
  }

  /** The bytes of the matrices. */
  public long weightBytes() {
    return embedding.weightBytes() + (output == embedding.tokens() ? 0 : output.bytes());
  }

  /** Refuses all use from now on: its memory is about to be freed. */
  void close() {
    closed = true;
  }
}
