package dev.millrace.engine.internal.layer;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.RopeConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buffers and kernels that segments use in turn: no content outlives a batch. Allocated once,
 * for the largest batch.
 */
public final class LayerResources {
  public final KernelType kernels;
  public final ComputePool pool;
  public final Arithmetic arithmetic;
  public final LayerBuffers buffers;
  public final FeedForwardFactory feedForwards;
  public final int maxRows;
  private final RopeConfig rope;
  private final Map<float @Nullable [], LayerRopes> rotations =
      new HashMap<>(); // arrays as objects

  /**
   * @param integers whether any matrix takes its activations as integers
   */
  public LayerResources(
      ModelConfig config, KernelType kernels, ComputePool pool, int maxRows, boolean integers) {
    this.kernels = kernels;
    this.pool = pool;
    this.maxRows = maxRows;
    this.rope = config.rope();
    this.arithmetic = Arithmetic.of(kernels);
    this.buffers = new LayerBuffers(config, maxRows, integers, kernels);
    this.feedForwards =
        new FeedForwardFactory(pool, arithmetic, buffers, config, maxRows, integers, kernels);
  }

  /**
   * @param factors by which frequencies are divided, an object of the weights; null: none
   */
  public LayerRopes ropes(float @Nullable [] factors) {
    return rotations.computeIfAbsent(
        factors, divisors -> new LayerRopes(rope, divisors, maxRows, pool));
  }
}
