package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.cache.Attention;
import dev.millrace.engine.internal.cache.KvCache;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.math.Rope;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;
import org.jspecify.annotations.Nullable;

/**
 * The attention block of a layer: queries, keys and values of the rows, attention over all earlier
 * positions, and the output projection.
 */
public final class AttentionBlock implements LayerBlock {

  /**
   * What all attention blocks of a segment share.
   *
   * @param store the KV cache of the segment's layers
   */
  public record Shared(
      ComputePool pool,
      Arithmetic arithmetic,
      LayerBuffers buffers,
      AttentionConfig config,
      KvCache store,
      Attention attention) {}

  private final Shared shared;
  private final LayerWeights.AttentionWeights weights;
  private final @Nullable Rope rope;
  private final int layer; // of the store
  private final Attention.Rule rule;
  private final MatMul projections;
  private final MatMul output;
  private final ComputePool.ParallelLoop place = this::place;
  private final ComputePool.ParallelLoop ready = this::ready;
  private @Nullable Batch batch;

  public AttentionBlock(
      Shared shared,
      LayerWeights.AttentionWeights weights,
      @Nullable Rope rope,
      int layer,
      Attention.Rule rule) {
    this.shared = shared;
    this.weights = weights;
    this.rope = rope;
    this.layer = layer;
    this.rule = rule;
    LayerBuffers buffers = shared.buffers;
    this.projections =
        new MatMul(
            shared.pool,
            buffers.input,
            new MatMul.Factor(weights.query().matrix(), buffers.query),
            new MatMul.Factor(weights.key().matrix(), buffers.key),
            new MatMul.Factor(weights.value().matrix(), buffers.value));
    this.output =
        new MatMul(
            shared.pool,
            buffers.attended,
            new MatMul.Factor(weights.output().matrix(), buffers.update));
  }

  @Override
  public void forward(Batch batch) {
    this.batch = batch;
    LayerBuffers buffers = shared.buffers;
    projections.run(batch.rows);
    shared.pool.run(batch.rows, place);
    shared.attention.run(shared.pool, layer, rule, batch, buffers.query, buffers.attended.values);
    shared.pool.run(batch.rows, ready);
    output.run(batch.rows);
  }

  @Override
  public float @Nullable [] bias() {
    return weights.output().bias();
  }

  /** Prepares a row's query for attention and writes its key and value to the cache. */
  private void place(int row, int worker) {
    AttentionConfig config = shared.config;
    LayerBuffers buffers = shared.buffers;
    int query = row * config.queryWidth();
    int key = row * config.keyWidth();
    int value = row * config.valueWidth();
    weights.query().addBias(shared.arithmetic, buffers.query, query);
    weights.key().addBias(shared.arithmetic, buffers.key, key);
    weights.value().addBias(shared.arithmetic, buffers.value, value);
    normHeads(weights.queryNorm(), buffers.query, query, config.heads());
    normHeads(weights.keyNorm(), buffers.key, key, config.kvHeads());
    if (rope != null) {
      rope.apply(row, buffers.query, query, config.heads(), config.keyLength());
      rope.apply(row, buffers.key, key, config.kvHeads(), config.keyLength());
    }
    assert batch != null;
    shared.store.put(layer, batch, row, buffers.key, key, buffers.value, value);
  }

  private void normHeads(@Nullable Norm norm, float[] x, int offset, int heads) {
    if (norm != null) {
      for (int head = 0; head < heads; head++) {
        int at = offset + head * shared.config.keyLength();
        norm.apply(x, at, x, at);
      }
    }
  }

  private void ready(int row, int worker) {
    shared.buffers.attended.prepareRow(row);
  }
}
