package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.LazyMemory;
import dev.millrace.engine.internal.tensor.Matrix;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A matrix whose rows are interleaved in groups of 16: lane i of a vector is row i of a group, so
 * that no sum ever crosses lanes, and an element's order of operations is the same whatever the
 * vector's width and however many columns are at hand.
 */
abstract class InterleavedMatrix implements Matrix {
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
