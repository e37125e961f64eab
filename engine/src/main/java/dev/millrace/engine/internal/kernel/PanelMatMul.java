package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.util.Arrays;

/**
 * Matrix products by panels: 64 rows of weights, some columns deep, are converted to floats in the
 * nearest cache and used for many columns of activations. Any type that can be dequantized can be
 * computed like this; types with their own kernel use it for many columns, with the same bits.
 */
final class PanelMatMul {
  /** Fills panels with weights as floats. */
  @FunctionalInterface
  interface Filler {
    /**
     * Fills the panel (depth, 64) with columns [column, column + depth) of the rows from {@code
     * row} on, and for each block of 32 columns the factors (64) that its sums are to be scaled
     * with. Rows beyond the matrix may be anything finite.
     */
    void fill(int row, int column, int depth, WorkerScratch scratch);
  }

  private final KernelType kernels;
  private final int columns;
  private final int depth;
  private final Filler filler;

  PanelMatMul(KernelType kernels, int columns, int depth, Filler filler) {
    this.kernels = kernels;
    this.columns = columns;
    this.depth = depth;
    this.filler = filler;
  }

  void multiply(
      int from,
      int to,
      Activations x,
      int xRow,
      int count,
      float[] out,
      int outRow,
      int outStride,
      int outColumn,
      WorkerScratch scratch) {
    for (int first = 0; first < count; first += WorkerScratch.COLUMNS) {
      int width = Math.min(WorkerScratch.COLUMNS, count - first);
      for (int row = from; row < to; row += WorkerScratch.HEIGHT) {
        sum(row, x, xRow + first, width, scratch);
        int height = Math.min(WorkerScratch.HEIGHT, to - row);
        for (int c = 0; c < width; c++) {
          System.arraycopy(
              scratch.sums,
              c * WorkerScratch.HEIGHT,
              out,
              (outRow + first + c) * outStride + outColumn + row,
              height);
        }
      }
    }
  }

  private void sum(int row, Activations x, int xRow, int width, WorkerScratch scratch) {
    Arrays.fill(scratch.sums, 0, width * WorkerScratch.HEIGHT, 0);
    for (int column = 0; column < columns; column += depth) {
      int deep = Math.min(depth, columns - column);
      filler.fill(row, column, deep, scratch);
      if (kernels == KernelType.SCALAR) {
        scalar(scratch, deep, x, xRow, column, width);
      } else {
        vectors(scratch, deep, x, xRow, column, width);
      }
    }
  }

  private void vectors(
      WorkerScratch scratch, int deep, Activations x, int xRow, int column, int width) {
    float[] sums = scratch.sums;
    for (int lane = 0; lane < WorkerScratch.HEIGHT; lane += PanelVectorKernel.ROWS) {
      int c = 0;
      for (; c + 3 < width; c += 4) {
        int at = (xRow + c) * columns + column;
        int s = c * WorkerScratch.HEIGHT + lane;
        PanelVectorKernel.x4(
            scratch.panel,
            lane,
            deep,
            scratch.panelScales,
            x.values,
            at,
            at + columns,
            at + 2 * columns,
            at + 3 * columns,
            sums,
            s,
            s + WorkerScratch.HEIGHT,
            s + 2 * WorkerScratch.HEIGHT,
            s + 3 * WorkerScratch.HEIGHT);
      }
      for (; c < width; c++) {
        PanelVectorKernel.x1(
            scratch.panel,
            lane,
            deep,
            scratch.panelScales,
            x.values,
            (xRow + c) * columns + column,
            sums,
            c * WorkerScratch.HEIGHT + lane);
      }
    }
  }

  private void scalar(
      WorkerScratch scratch, int deep, Activations x, int xRow, int column, int width) {
    for (int c = 0; c < width; c++) {
      for (int r = 0; r < WorkerScratch.HEIGHT; r++) {
        int at = c * WorkerScratch.HEIGHT + r;
        for (int k = 0; k < deep; k += 32) {
          float sum = 0;
          for (int i = k; i < Math.min(k + 32, deep); i++) {
            sum =
                Math.fma(
                    scratch.panel[i * WorkerScratch.HEIGHT + r],
                    x.values[(xRow + c) * columns + column + i],
                    sum);
          }
          scratch.sums[at] =
              Math.fma(
                  sum, scratch.panelScales[k / 32 * WorkerScratch.HEIGHT + r], scratch.sums[at]);
        }
      }
    }
  }
}
