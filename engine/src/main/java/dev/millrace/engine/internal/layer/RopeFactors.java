package dev.millrace.engine.internal.layer;

import org.jspecify.annotations.Nullable;

/**
 * By what the frequencies of the rotation are divided. Models with two sets take one for the whole
 * context that a sequence may have, not for the position that it has reached: keys that are stored
 * cannot change their rotation.
 *
 * @param usual up to the original context; null: they are not divided
 * @param stretched beyond it
 */
public record RopeFactors(
    float @Nullable [] usual, float @Nullable [] stretched, int originalContext) {

  public float @Nullable [] of(int context) {
    return context > originalContext ? stretched : usual;
  }
}
