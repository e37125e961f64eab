package dev.millrace.engine.tensor;

/** The space that one worker of a crew computes in. */
final class Scratch {
  /** The most rows of activations that go through a panel at once. */
  static final int COLUMNS = 128;

  /** The most depth of a panel. */
  static final int DEPTH = 256;

  /** The rows of a panel. */
  static final int HEIGHT = 64;

  /** (8, 32): what a tile kernel leaves. */
  final float[] tile = new float[8 * 32];

  /** (depth, height): weights as floats. */
  final float[] panel = new float[DEPTH * HEIGHT];

  /** (depth / 32, height): what each block of the panel is scaled with. */
  final float[] panelScales = new float[DEPTH / 32 * HEIGHT];

  /** (column, height): sums under way. */
  final float[] sums = new float[COLUMNS * HEIGHT];
}
