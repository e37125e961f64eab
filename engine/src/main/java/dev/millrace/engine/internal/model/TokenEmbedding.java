package dev.millrace.engine.internal.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.layer.Norm;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import org.jspecify.annotations.Nullable;

/** Embeds tokens, and in some models their positions, as hidden states. */
final class TokenEmbedding {
  private final ModelConfig config;
  private final Arithmetic arithmetic;
  private final ComputePool pool;
  private final Matrix tokens; // (vocabulary, width)
  private final @Nullable Matrix positions; // (context, width)
  private final float @Nullable []
      type; // (width): of the first kind of text, the only one that is used
  private final @Nullable Norm norm;
  private final float[][] scratch; // (worker, width)
  private final ComputePool.ParallelLoop section = this::fillRow;
  private Batch batch = new Batch(1, 1, 1);
  private int firstRow;
  private int[] ids = {};
  private int offset;

  TokenEmbedding(
      WeightLoader weights, ModelConfig config, Arithmetic arithmetic, ComputePool pool) {
    this.config = config;
    this.arithmetic = arithmetic;
    this.pool = pool;
    this.tokens = weights.matrix("token_embd.weight");
    this.positions =
        config.has(ArchitectureTrait.LEARNED_POSITIONS)
            ? weights.matrix("position_embd.weight")
            : null;
    this.type = weights.vectorOrNull("token_types.weight");
    this.scratch = new float[pool.threads()][config.width()];
    this.norm = config.has(ArchitectureTrait.ENCODER) ? weights.norm("token_embd_norm") : null;
  }

  Matrix tokens() {
    return tokens;
  }

  long weightBytes() {
    return tokens.bytes() + (positions == null ? 0 : positions.bytes());
  }

  /** As {@link dev.millrace.engine.internal.pipe.EmbeddingAndHead#embed}. */
  void fill(Batch batch, int row, int[] ids, int offset, int count) {
    for (int i = 0; i < count; i++) {
      check(ids[offset + i], batch.position[row + i]);
    }
    this.batch = batch;
    this.firstRow = row;
    this.ids = ids;
    this.offset = offset;
    pool.run(count, section);
  }

  private void check(int token, int position) {
    if (token < 0 || token >= config.vocabulary()) {
      throw new EngineException(
          "token %d is not among the %d of model '%s'"
              .formatted(token, config.vocabulary(), config.name()));
    }
    if (positions != null && position >= positions.rows()) {
      throw new EngineException(
          "position %d is beyond the %d that model '%s' has learned"
              .formatted(position, positions.rows(), config.name()));
    }
  }

  private void fillRow(int i, int worker) {
    int width = config.width();
    int row = firstRow + i;
    int at = row * width;
    float[] hidden = batch.hidden;
    tokens.row(ids[offset + i], hidden, at);
    if (config.has(ArchitectureTrait.SCALED_EMBEDDING)) {
      arithmetic.scale(hidden, at, (float) Math.sqrt(width), width);
    }
    if (type != null) {
      arithmetic.add(hidden, at, type, 0, width);
    }
    if (positions != null) {
      float[] position = scratch[worker];
      positions.row(batch.position[row], position, 0);
      arithmetic.add(hidden, at, position, 0, width);
    }
    if (norm != null) {
      norm.apply(hidden, at, hidden, at);
    }
  }
}
