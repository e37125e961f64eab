package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A matrix of row groups in bands of two, with weights and scales in exactly the order in which a
 * product reads them: one stream of cache lines, which the processor fetches ahead. Groups one
 * after the other, with scales in a place of their own, reached two thirds of the speed from
 * memory, and two streams in one page less than half.
 */
abstract class TiledMatrix extends InterleavedMatrix implements TileMatMul {
  private final int blockBytes;
  private final NativeKernels.@Nullable Format format;

  /**
   * @param blockColumns the columns of a block
   * @param blockBytes its bytes in both groups of a band, a multiple of a cache line
   */
  TiledMatrix(TensorPacker packing, int rows, int columns, int blockColumns, int blockBytes) {
    super(packing, rows, columns, columns / blockColumns * (long) blockBytes / 2);
    this.blockBytes = blockBytes;
    format = kernels == KernelType.NATIVE ? nativeFormat() : null;
  }

  /** The native kernel of this format; null if it has none. */
  NativeKernels.@Nullable Format nativeFormat() {
    return null;
  }

  /** Where a block of the group's band lies. */
  final long block(int group, int block) {
    return (group & -2) * groupBytes + (long) block * blockBytes;
  }

  /** 1 for the second group of a band. */
  static int side(int group) {
    return group & 1;
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
    if (format == null) {
      multiplyTiles(
          from, to, x, xRow, count, out, outRow, outStride, outColumn, scratch(worker).tile);
      return;
    }
    MemorySegment target = scratch(worker).segmentOf(out);
    for (int c = 0; c < count; c += COLUMN_BLOCK) {
      NativeKernels.multiply(
          format,
          weights.address() + from / GROUP * groupBytes,
          2 * groupBytes,
          to - from,
          columns / 32,
          x.operands(),
          xRow + c,
          Math.min(COLUMN_BLOCK, count - c),
          target,
          (long) (outRow + c) * outStride + outColumn + from,
          outStride);
    }
  }

  @Override
  public final void tile1(int group, Activations x, int c, float[] tile) {
    if (kernels == KernelType.SCALAR) {
      scalarTile(group, x, c, tile, 0);
      scalarTile(group + 1, x, c, tile, GROUP);
      return;
    }
    for (int lane = 0; lane < GROUP; lane += VectorWidth.COUNT) {
      vectorTile1(group * groupBytes, lane, x, c, tile);
    }
  }

  @Override
  public final void tile4(int group, Activations x, int c, int count, float[] tile) {
    if (kernels == KernelType.SCALAR) {
      for (int i = 0; i < count; i++) {
        scalarTile(group, x, c + i, tile, 32 * i);
        scalarTile(group + 1, x, c + i, tile, 32 * i + GROUP);
      }
      return;
    }
    int last = c + count - 1;
    for (int lane = 0; lane < GROUP; lane += VectorWidth.COUNT) {
      vectorTile4(group * groupBytes, lane, x, c, c + 1, Math.min(c + 2, last), last, tile);
    }
  }

  /** The reference: 16 rows and one column, into tile[t…]. */
  abstract void scalarTile(int group, Activations x, int c, float[] tile, int t);

  /** The kernel of one column, for a band's lanes from {@code lane} on. */
  abstract void vectorTile1(long band, int lane, Activations x, int c, float[] tile);

  /** The kernel of four columns. */
  abstract void vectorTile4(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile);
}
