package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The product of one or several matrices with the same rows, cut into parts of matrix rows for a
 * compute pool.
 */
public final class MatMul implements ComputePool.ParallelLoop {
  /** A part is a multiple of this many rows, so that kernels work on whole panels. */
  private static final int GRAIN = 64;

  /** More parts than threads, so that a delayed thread costs the others little. */
  private static final int PARTS_PER_THREAD = 8;

  /**
   * A matrix and where its product goes: (row, matrix rows).
   *
   * @param out null if it is given at each run
   */
  public record Factor(Matrix matrix, float @Nullable [] out) {}

  private record Part(Matrix matrix, float @Nullable [] out, int from, int to) {}

  private final ComputePool pool;
  private final Activations input;
  private final Part[] parts;
  private int rows;
  private float[] out = {};
  private int outRow;

  public MatMul(ComputePool pool, Activations input, Factor... factors) {
    this.pool = pool;
    this.input = input;
    long all = 0;
    for (Factor factor : factors) {
      all += factor.matrix.rows();
    }
    List<Part> cut = new ArrayList<>();
    for (Factor factor : factors) {
      Matrix matrix = factor.matrix;
      int length = length(matrix, all / ((long) pool.threads() * PARTS_PER_THREAD));
      for (int from = 0; from < matrix.rows(); from += length) {
        cut.add(new Part(matrix, factor.out, from, Math.min(matrix.rows(), from + length)));
      }
    }
    this.parts = cut.toArray(Part[]::new);
  }

  private static int length(Matrix matrix, long wanted) {
    int step = Math.ceilDiv(GRAIN, matrix.rowStep()) * matrix.rowStep();
    return (int) Math.max(step, Math.ceilDiv(wanted, (long) step) * step);
  }

  /** Multiplies the first {@code count} rows. */
  void run(int count) {
    rows = count;
    pool.run(parts.length, this);
  }

  /**
   * Multiplies the first {@code count} rows; the product goes to the rows from {@code firstRow} of
   * {@code target} on.
   */
  public void run(int count, float[] target, int firstRow) {
    out = target;
    outRow = firstRow;
    run(count);
  }

  @Override
  public void run(int part, int worker) {
    Part p = parts[part];
    float[] target = p.out == null ? out : p.out;
    p.matrix.multiply(
        p.from,
        p.to,
        input,
        0,
        rows,
        target,
        p.out == null ? outRow : 0,
        p.matrix.rows(),
        0,
        worker);
  }
}
