package dev.millrace.engine.model;

import dev.millrace.engine.oracle.Shape;

/** Shapes with all that distinguishes an architecture, and as few weights as that takes. */
final class Tiny {
  static final int WIDTH = 64;
  static final int INNER = 128;
  static final int VOCABULARY = 320;
  static final int CONTEXT = 256;

  private Tiny() {}

  static Shape shape(String architecture) {
    Shape small = Shape.small(architecture);
    int layers = Math.min(7, small.layers()); // of seven layers Gemma's sixth is another one
    return new Shape(
        architecture,
        layers,
        WIDTH,
        4,
        small.kvHeads(),
        32,
        INNER,
        VOCABULARY,
        CONTEXT,
        small.tied(),
        small.stretched(),
        small.more());
  }
}
