package dev.millrace.engine.internal.layer;

import org.jspecify.annotations.Nullable;

/**
 * The divisors of the RoPE frequencies. Models with two sets choose one by the whole context that a
 * sequence may have, not by the position reached: the rotation of stored keys cannot change.
 *
 * @param usual up to the original context; null: no division
 * @param stretched beyond it
 */
public record RopeFactors(
    float @Nullable [] usual, float @Nullable [] stretched, int originalContext) {

  public float @Nullable [] of(int context) {
    return context > originalContext ? stretched : usual;
  }
}
