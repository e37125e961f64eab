package dev.millrace.cluster.node;

import dev.millrace.cluster.place.Range;

/** Layers as people are told of them. */
final class Phrase {
  private Phrase() {}

  static String layers(Range range) {
    return (range.length() == 1 ? "layer " : "layers ") + range;
  }

  /** The verb that goes with them. */
  static String verb(Range range, String one, String many) {
    return range.length() == 1 ? one : many;
  }

  static String are(Range range) {
    return verb(range, "is", "are");
  }
}
