package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.tensor.Crew;
import dev.millrace.engine.tensor.Kernels;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What segments compute in, one after the other: nothing in it outlasts a turn. Allocated once, for
 * the largest turn.
 */
final class Workplace {
  final Kernels kernels;
  final Crew crew;
  final Arithmetic arithmetic;
  final Buffers buffers;
  final FeedForwards feedForwards;
  final int maxRows;
  private final RopeConfig rope;
  private final Map<float @Nullable [], Rotations> rotations = new HashMap<>(); // arrays as objects

  /**
   * @param integers whether any matrix takes its activations as integers
   */
  Workplace(ModelConfig config, Kernels kernels, Crew crew, int maxRows, boolean integers) {
    this.kernels = kernels;
    this.crew = crew;
    this.maxRows = maxRows;
    this.rope = config.rope();
    this.arithmetic = Arithmetic.of(kernels);
    this.buffers = new Buffers(config, maxRows, integers);
    this.feedForwards = new FeedForwards(crew, arithmetic, buffers, config, maxRows, integers);
  }

  /**
   * @param factors by which frequencies are divided, an object of the weights; null: none
   */
  Rotations rotations(float @Nullable [] factors) {
    return rotations.computeIfAbsent(
        factors, divisors -> new Rotations(rope, divisors, maxRows, crew));
  }
}
