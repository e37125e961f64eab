package dev.millrace.engine.internal.config;

import dev.millrace.engine.internal.math.Rope;
import org.jspecify.annotations.Nullable;

/**
 * How positions rotate queries and keys.
 *
 * @param pairing which numbers of a head are rotated together
 * @param dimensions how many numbers of a head are rotated; 0: none, the architecture has no
 *     rotation
 * @param base of the frequencies
 * @param windowedBase of the frequencies in layers with a sliding window
 * @param scale by which positions are multiplied: 1 / the scaling factor
 * @param windowedScale the same in layers with a sliding window
 * @param scaling how frequencies are stretched
 * @param originalContext the context before the stretching
 * @param magnitude a factor on the rotated vectors
 */
public record RopeConfig(
    Rope.Pairing pairing,
    int dimensions,
    float base,
    float windowedBase,
    float scale,
    float windowedScale,
    Scaling scaling,
    Rope.@Nullable Yarn yarn,
    int originalContext,
    float magnitude) {

  /** The values of {@code rope.scaling.type}. */
  public enum Scaling {
    NONE,
    LINEAR,
    YARN,
    LONGROPE
  }

  /**
   * The rotation of layers with or without a sliding window.
   *
   * @param factors by which frequencies are divided; null: none
   */
  public Rope.Settings settings(boolean windowed, float @Nullable [] factors) {
    return new Rope.Settings(
        pairing,
        dimensions,
        windowed ? windowedBase : base,
        windowed ? windowedScale : scale,
        factors,
        magnitude,
        yarn);
  }
}
