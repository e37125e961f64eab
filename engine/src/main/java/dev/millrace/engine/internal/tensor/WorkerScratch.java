package dev.millrace.engine.internal.tensor;

import java.lang.foreign.MemorySegment;

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

  // The buffers of a model's layers are few, and stay the same.
  private final float[][] targets = new float[16][];
  private final MemorySegment[] segments = new MemorySegment[16];
  private int next;

  /** The array as a segment; the last ones are kept, so that a product allocates nothing. */
  public MemorySegment segmentOf(float[] out) {
    for (int i = 0; i < targets.length; i++) {
      if (targets[i] == out) {
        return segments[i];
      }
    }
    next = (next + 1) % targets.length;
    targets[next] = out;
    segments[next] = MemorySegment.ofArray(out);
    return segments[next];
  }
}
