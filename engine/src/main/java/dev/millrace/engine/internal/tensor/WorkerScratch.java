package dev.millrace.engine.internal.tensor;

/** The scratch memory of one worker of a compute pool. */
public final class WorkerScratch {
  /** The most rows of activations that go through a panel at once. */
  public static final int COLUMNS = 128;

  /** The most depth of a panel. */
  public static final int DEPTH = 256;

  /** The rows of a panel. */
  public static final int HEIGHT = 64;

  /** (8, 32): what a tile kernel leaves. */
  public final float[] tile = new float[8 * 32];

  /** (depth, height): weights as floats. */
  public final float[] panel = new float[DEPTH * HEIGHT];

  /** (depth / 32, height): what each block of the panel is scaled with. */
  public final float[] panelScales = new float[DEPTH / 32 * HEIGHT];

  /** (column, height): the running sums. */
  public final float[] sums = new float[COLUMNS * HEIGHT];
}
