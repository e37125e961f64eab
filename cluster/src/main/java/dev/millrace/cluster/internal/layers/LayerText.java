package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.LayerRange;

/** Layers as people are told of them. */
public final class LayerText {
  private LayerText() {}

  public static String describe(LayerRange range) {
    return (range.length() == 1 ? "layer " : "layers ") + range;
  }

  /** The verb that goes with them. */
  static String verb(LayerRange range, String one, String many) {
    return range.length() == 1 ? one : many;
  }

  static String are(LayerRange range) {
    return verb(range, "is", "are");
  }
}
