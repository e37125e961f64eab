package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.WorkerScratch;

/** A matrix that is multiplied by panels. */
abstract class PanelMatrix extends InterleavedMatrix {
  private final PanelMatMul panels;

  PanelMatrix(TensorPacker packing, int rows, int columns, long bytesOfGroup, int depth) {
    super(packing, rows, columns, bytesOfGroup);
    panels = new PanelMatMul(packing.kernels(), columns, depth, this::fillAll);
  }

  @Override
  public final boolean takesIntegers() {
    return false;
  }

  @Override
  public void multiply(
      int from,
      int to,
      Activations x,
      int xRow,
      int count,
      float[] out,
      int outRow,
      int outStride,
      int outColumn,
      int worker) {
    panels.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, scratch(worker));
  }

  private void fillAll(int row, int column, int depth, WorkerScratch scratch) {
    for (int lane = 0; lane < WorkerScratch.HEIGHT; lane += GROUP) {
      fill(Math.min(row / GROUP + lane / GROUP, groups - 1), column, depth, scratch, lane);
    }
  }

  /**
   * Fills lanes [lane, lane + 16) of the panel and its scales with a group: see {@link
   * PanelMatMul.Filler}.
   */
  abstract void fill(int group, int column, int depth, WorkerScratch scratch, int lane);
}
