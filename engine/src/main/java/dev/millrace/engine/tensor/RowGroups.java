package dev.millrace.engine.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A matrix whose rows are interleaved in groups of 16: lane i of a vector is row i of a group, so
 * that no sum ever crosses lanes, and an element's order of operations is the same whatever the
 * vector's width and however many columns are at hand. A tile is two groups by one,
 * four or eight columns; where fewer columns are left, it computes the last one twice.
 */
abstract class RowGroups implements Matrix {
  /** The rows of a group. */
  static final int GROUP = 16;

  /** Columns of activations that stay in the nearer caches while the rows of a part pass by. */
  private static final int COLUMN_BLOCK = 64;

  /** Vector loads of a narrow type may reach a little beyond. */
  private static final int SLACK = 64;

  final Kernels kernels;
  final int rows;
  final int columns;

  /** An even number: the last one may be all padding. */
  final int groups;

  /** The bytes of a group; two of them are a multiple of a cache line. */
  final long groupBytes;

  final MemorySegment weights;
  private final Crew crew;

  RowGroups(Packing packing, int rows, int columns, long bytesOfGroup) {
    kernels = packing.kernels();
    crew = packing.crew();
    this.rows = rows;
    this.columns = columns;
    groups = 2 * Math.ceilDiv(rows, 2 * GROUP);
    groupBytes = (bytesOfGroup + 31) / 32 * 32;
    weights = allocate(packing.arena(), groupBytes * groups + SLACK);
  }

  /**
   * Memory of the arena, seen without its lifetime check: kernels load from it millions of times.
   * Whoever closes the arena has stopped all use.
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
    return Scratch.HEIGHT;
  }

  final Scratch scratch(int worker) {
    return crew.scratch(worker);
  }

  @Override
  public final long bytes() {
    return weights.byteSize();
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
    float[] tile = crew.scratch(worker).tile;
    for (int first = 0; first < count; first += COLUMN_BLOCK) {
      int last = Math.min(first + COLUMN_BLOCK, count);
      for (int row = from; row < to; row += 2 * GROUP) {
        int group = row / GROUP;
        int height = Math.min(to - row, 2 * GROUP);
        int c = first;
        for (; hasEight() && c + 7 < last; c += 8) {
          eight(group, x, xRow + c, tile);
          for (int i = 0; i < 8; i++) {
            System.arraycopy(
                tile, 32 * i, out, (outRow + c + i) * outStride + outColumn + row, height);
          }
        }
        for (; c + 1 < last; c += 4) {
          int left = Math.min(4, last - c);
          four(group, x, xRow + c, left, tile);
          for (int i = 0; i < left; i++) {
            System.arraycopy(
                tile, 32 * i, out, (outRow + c + i) * outStride + outColumn + row, height);
          }
        }
        if (c < last) {
          one(group, x, xRow + c, tile);
          System.arraycopy(tile, 0, out, (outRow + c) * outStride + outColumn + row, height);
        }
      }
    }
  }

  /** Whether there is a kernel for eight columns. */
  boolean hasEight() {
    return false;
  }

  /** The products of a group, the next one and eight rows of x from {@code c} on, into tile[32 * i…]. */
  void eight(int group, Activations x, int c, float[] tile) {
    throw new UnsupportedOperationException();
  }

  /** The products of a group, the next one and the row {@code c} of x, into tile[0…31]. */
  abstract void one(int group, Activations x, int c, float[] tile);

  /**
   * The products of a group, the next one and {@code count} rows of x from {@code c} on, at most 4 and at
   * least 2, into tile[32 * i…].
   */
  abstract void four(int group, Activations x, int c, int count, float[] tile);
}
