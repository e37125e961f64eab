package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.tensor.VectorWidth.COUNT;
import static dev.millrace.engine.internal.tensor.WorkerScratch.HEIGHT;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * A matrix that is multiplied by panels: 64 rows of weights, some columns deep, are converted to
 * floats in the nearest cache and used for many columns of activations. Any type that can be
 * dequantized can be computed like this.
 */
abstract class PanelMatrix extends InterleavedMatrix {
  private final int depth;

  PanelMatrix(TensorPacker packing, int rows, int columns, long bytesOfGroup, int depth) {
    super(packing, rows, columns, bytesOfGroup);
    this.depth = depth;
  }

  @Override
  public boolean takesIntegers() {
    return false;
  }

  /**
   * Fills lanes [lane, lane + 16) of the panel (depth, 64) with columns [column, column + depth) of
   * a group, and for each block of 32 columns the factors (64) that its sums are scaled with,
   * where they are not 1.
   */
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    for (int k = 0; k < depth; k++) {
      for (int r = 0; r < GROUP; r++) {
        scratch.panel[k * HEIGHT + lane + r] = weight(group, r, column + k);
        scratch.panelScales[k / 32 * HEIGHT + lane + r] = scale(group, r, column + k);
      }
    }
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
    if (kernels == KernelType.SCALAR) {
      super.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, worker);
      return;
    }
    float[] sums = scratch(worker).sums;
    for (int first = 0; first < count; first += WorkerScratch.COLUMNS) {
      int width = Math.min(WorkerScratch.COLUMNS, count - first);
      for (int row = from; row < to; row += HEIGHT) {
        sum(row, x, xRow + first, width, scratch(worker));
        for (int c = 0; c < width; c++) {
          int at = (outRow + first + c) * outStride + outColumn + row;
          System.arraycopy(sums, c * HEIGHT, out, at, Math.min(HEIGHT, to - row));
        }
      }
    }
  }

  private void sum(int row, Activations x, int xRow, int width, WorkerScratch scratch) {
    Arrays.fill(scratch.sums, 0, width * HEIGHT, 0);
    for (int column = 0; column < columns; column += depth) {
      int deep = Math.min(depth, columns - column);
      Arrays.fill(scratch.panelScales, 1);
      for (int lane = 0; lane < HEIGHT; lane += GROUP) {
        // Rows beyond the matrix may be anything finite.
        fill(Math.min((row + lane) / GROUP, groups - 1), column, deep, scratch, lane);
      }
      for (int lane = 0; lane < HEIGHT; lane += 4 * COUNT) {
        for (int c = 0, few; c < width; c += few) {
          few = c + 3 < width ? 4 : 1;
          PanelKernel.sum(few, scratch, lane, deep, x, (xRow + c) * columns + column, c * HEIGHT);
        }
      }
    }
  }

  /** A block of 32 columns is summed by itself, then scaled and added to the sums under way. */
  private static final class Template extends Lanes {
    @KernelTemplate(
        columns = {1, 4},
        rows = 4)
    static void sum(WorkerScratch scratch, int lane, int depth, Activations x, int from, int to) {
      float[] panel = scratch.panel;
      float[] scales = scratch.panelScales;
      float[] sums = scratch.sums;
      float[] values = x.values;
      int x$c = from + $c * x.columns;
      int p = lane;
      int d = lane;
      for (int k = 0; k < depth; k += 32, d += HEIGHT) {
        int end = Math.min(k + 32, depth);
        FloatVector m$r$c = FloatVector.zero(F);
        for (int i = k; i < end; i++, p += HEIGHT) {
          FloatVector v$r = FloatVector.fromArray(F, panel, p + $r * COUNT);
          {
            FloatVector y = FloatVector.broadcast(F, values[x$c + i]);
            m$r$c = v$r.fma(y, m$r$c);
          }
        }
        FloatVector w$r = FloatVector.fromArray(F, scales, d + $r * COUNT);
        int t$r$c = to + $c * HEIGHT + lane + $r * COUNT;
        m$r$c.fma(w$r, FloatVector.fromArray(F, sums, t$r$c)).intoArray(sums, t$r$c);
      }
    }

    /** One vector of rows of a band, column by column. */
    @KernelTemplate(
        columns = 1,
        variants = {"f32", "f16", "bf16", "int8"})
    static void $vFill(MemorySegment w, long from, int depth, float[] panel, int to) {
      for (int k = 0; k < depth; k++) {
        $v(w, from + k * 32L * $v_BYTES).intoArray(panel, k * HEIGHT + to);
      }
    }
  }
}
