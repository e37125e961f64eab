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
 * What segments compute in, one after the other: nothing in it outlasts a turn. Allocated once, for
 * the largest turn.
 */
public final class LayerResources {
  public final KernelType kernels;
  public final ComputePool crew;
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
      ModelConfig config, KernelType kernels, ComputePool crew, int maxRows, boolean integers) {
    this.kernels = kernels;
    this.crew = crew;
    this.maxRows = maxRows;
    this.rope = config.rope();
    this.arithmetic = Arithmetic.of(kernels);
    this.buffers = new LayerBuffers(config, maxRows, integers);
    this.feedForwards =
        new FeedForwardFactory(crew, arithmetic, buffers, config, maxRows, integers);
  }

  /**
   * @param factors by which frequencies are divided, an object of the weights; null: none
   */
  public LayerRopes ropes(float @Nullable [] factors) {
    return rotations.computeIfAbsent(
        factors, divisors -> new LayerRopes(rope, divisors, maxRows, crew));
  }
}
