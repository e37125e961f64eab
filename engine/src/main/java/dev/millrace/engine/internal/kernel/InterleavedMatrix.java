package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.LazyMemory;
import dev.millrace.engine.internal.tensor.Matrix;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A matrix whose rows are interleaved in groups of 16: lane i of a vector is row i of a group, so
 * that no sum ever crosses lanes, and an element's order of operations is the same whatever the
 * vector's width and however many columns are at hand. That order is defined here, in {@link
 * #multiply}, the scalar oracle of all types.
 */
abstract class InterleavedMatrix implements Matrix {
  static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The rows of a group. */
  static final int GROUP = 16;

  /** Vector loads of a narrow type may reach a little beyond. */
  private static final int SLACK = 64;

  final KernelType kernels;
  final int rows;
  final int columns;

  /** An even number: the last one may be all padding. */
  final int groups;

  /** The bytes of a group; two of them are a multiple of a cache line. */
  final long groupBytes;

  final MemorySegment weights;
  private final ComputePool pool;

  InterleavedMatrix(TensorPacker packing, int rows, int columns, long bytesOfGroup) {
    kernels = packing.kernels();
    pool = packing.pool();
    this.rows = rows;
    this.columns = columns;
    groups = 2 * Math.ceilDiv(rows, 2 * GROUP);
    groupBytes = (bytesOfGroup + 31) / 32 * 32;
    weights = allocate(packing.arena(), groupBytes * groups + SLACK);
  }

  /**
   * Memory of the arena without its lifetime check: kernels load from it millions of times. The
   * arena is closed only after all use has stopped.
   */
  @SuppressWarnings("restricted")
  static MemorySegment allocate(Arena arena, long bytes) {
    MemorySegment owned = LazyMemory.allocateHuge(bytes, arena, "weights: use a smaller model");
    return MemorySegment.ofAddress(owned.address()).reinterpret(bytes);
  }

  /** The 16-bit float there. */
  final float half(long at) {
    return HalfFloat.toFloat(weights.get(SHORT, at));
  }

  /** Column k of row r of a group, before its scale. */
  abstract float weight(int group, int r, int k);

  /** What the sum of the columns from k on, a whole {@link #run}, is scaled with. */
  float scale(int group, int r, int k) {
    return 1;
  }

  /** What is taken from every scaled weight of a run; 0 unless there {@link #areMinima}. */
  float minimum(int group, int r, int k) {
    return 0;
  }

  boolean areMinima() {
    return false;
  }

  /** How many columns are summed before their sum is scaled. */
  int run() {
    return 32;
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
    float[] row = new float[columns];
    for (int r = from; r < to; r++) {
      for (int k = 0; k < columns; k++) {
        row[k] = weight(r / GROUP, r % GROUP, k);
      }
      for (int i = 0; i < count; i++) {
        out[(outRow + i) * outStride + outColumn + r] = product(r, row, x, xRow + i);
      }
    }
  }

  private float product(int r, float[] row, Activations x, int c) {
    float sum = 0;
    for (int b = 0; b < columns; b += run()) {
      float dot = 0; // of integers, it is exact
      for (int k = b; k < Math.min(b + run(), columns); k++) {
        dot = Math.fma(row[k], takesIntegers() ? x.integer(c, k) : x.values[c * columns + k], dot);
      }
      float scale = scale(r / GROUP, r % GROUP, b);
      int block = (c * columns + b) / 32;
      sum = Math.fma(dot, takesIntegers() ? scale * x.scales[block] : scale, sum);
      if (areMinima()) {
        sum = Math.fma(minimum(r / GROUP, r % GROUP, b), -x.sums[block], sum);
      }
    }
    return sum;
  }

  @Override
  public final void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      out[offset + k] = scale(group, r, k) * weight(group, r, k) - minimum(group, r, k);
    }
  }

  @Override
  public final int rows() {
    return rows;
  }

  @Override
  public final int columns() {
    return columns;
  }

  @Override
  public final int rowStep() {
    return WorkerScratch.HEIGHT;
  }

  final WorkerScratch scratch(int worker) {
    return pool.scratch(worker);
  }

  @Override
  public final long bytes() {
    return weights.byteSize();
  }
}
