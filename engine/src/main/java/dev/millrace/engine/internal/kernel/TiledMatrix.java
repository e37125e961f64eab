package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A matrix of row groups in bands of two, with weights and scales in exactly the order in which a
 * product reads them: one stream of cache lines, which the processor fetches ahead. Groups one
 * after the other, with scales in a place of their own, reached two thirds of the speed from
 * memory, and two streams in one page less than half.
 *
 * <p>It is multiplied as it is stored, by tiles: a band by one, four or eight columns. For many
 * columns, some types convert it to panels of floats instead.
 */
abstract class TiledMatrix extends PanelMatrix {
  /** Columns of activations that stay in the nearer caches while the rows of a part pass by. */
  private static final int COLUMN_BLOCK = 64;

  /** The products of one native call: less than a millisecond on a core with 32-byte vectors. */
  private static final long CALL_PRODUCTS = 1L << 25;

  /** A panel of 64 rows and this depth is the nearest cache's size. */
  private static final int DEPTH = 128;

  /** The low four bits, and two, of every other byte. */
  static final long LOW_BITS = 0x000f000f000f000fL;

  static final long HIGH_BITS = 0x0003000300030003L;

  private final NativeKernels.@Nullable Format format;
  private final int blockShift;
  private final int blockBytes;

  /**
   * @param blockColumns the columns of a block, a power of two
   * @param blockBytes its bytes in both groups of a band, a multiple of a cache line
   */
  TiledMatrix(TensorPacker packing, int rows, int columns, int blockColumns, int blockBytes) {
    super(packing, rows, columns, columns / blockColumns * (long) blockBytes / 2, DEPTH);
    blockShift = Integer.numberOfTrailingZeros(blockColumns);
    this.blockBytes = blockBytes;
    boolean isNative = kernels == KernelType.NATIVE;
    format = isNative ? NativeKernels.Format.named(packing.tensor().type().name()) : null;
  }

  /** What packs the groups: the native form of {@code other}, if there is one. */
  final TensorPacker.GroupPacker nativeOr(TensorPacker.GroupPacker other) {
    return format == null ? other : this::packNatively;
  }

  private void packNatively(int group, MemorySegment source, long rowBytes, int count) {
    NativeKernels.pack(
        Objects.requireNonNull(format),
        source.address(),
        rowBytes,
        columns / 32,
        weights.address() + (group & -2) * groupBytes,
        side(group));
  }

  /** Where the block with column k of the group's band lies. */
  final long block(int group, int k) {
    return (group & -2) * groupBytes + (k >> blockShift) * (long) blockBytes;
  }

  /** 1 for the second group of a band. */
  static int side(int group) {
    return group & 1;
  }

  /**
   * Eight codes, a byte each, as a lane holds them: the bits of the even columns in the low half,
   * those of the odd ones in the high half.
   */
  static int paired(long codes, long mask) {
    return (int) (Long.compress(codes, mask) | Long.compress(codes >>> 8, mask) << 16);
  }

  /** Of the eight in a lane, the four bits of column k. */
  static int nibble(int lane, int k) {
    return lane >> (k & 1) * 16 + (k / 2 & 3) * 4 & 15;
  }

  /** Types whose products are of integers are not converted to floats. */
  @Override
  public final boolean takesIntegers() {
    return panelColumns() == Integer.MAX_VALUE;
  }

  /** From so many columns on, turning weights into floats once for all pays. */
  int panelColumns() {
    return Integer.MAX_VALUE;
  }

  /** The most columns that a kernel takes: 4 or 8. */
  int widest() {
    return 4;
  }

  /**
   * The products of a band's lanes from {@code lane} on with rows c to c + width - 1 of x, at most
   * {@code last}, into tile[32 * i + lane…] and, of the second group, tile[32 * i + 16 + lane…].
   *
   * @param width 1, 4 or {@link #widest}
   */
  abstract void tile(int width, long band, int lane, Activations x, int c, int last, float[] tile);

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
    if (kernels == KernelType.SCALAR || count >= panelColumns()) {
      super.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, worker);
      return;
    }
    if (format != null) {
      multiplyNatively(format, from, to, x, xRow, count, out, outRow, outStride, outColumn, worker);
      return;
    }
    float[] tile = scratch(worker).tile;
    for (int first = 0; first < count; first += COLUMN_BLOCK) {
      int end = Math.min(first + COLUMN_BLOCK, count);
      for (int row = from; row < to; row += 2 * GROUP) {
        int height = Math.min(to - row, 2 * GROUP);
        for (int c = first, width; c < end; c += width) {
          width = c + 1 == end ? 1 : c + widest() <= end ? widest() : 4;
          for (int lane = 0; lane < GROUP; lane += VectorWidth.COUNT) {
            tile(width, row / GROUP * groupBytes, lane, x, xRow + c, xRow + end - 1, tile);
          }
          for (int i = 0; i < width && c + i < end; i++) {
            int at = (outRow + c + i) * outStride + outColumn + row;
            System.arraycopy(tile, 32 * i, out, at, height);
          }
        }
      }
    }
  }

  /** In calls that are short enough for a garbage collection to wait for. */
  private void multiplyNatively(
      NativeKernels.Format format,
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
    MemorySegment target = scratch(worker).segmentOf(out);
    for (int c = 0; c < count; c += COLUMN_BLOCK) {
      int width = Math.min(COLUMN_BLOCK, count - c);
      int step = (int) Math.max(1, CALL_PRODUCTS / (2L * GROUP * columns * width)) * 2 * GROUP;
      for (int row = from; row < to; row += step) {
        NativeKernels.multiply(
            format,
            weights.address() + row / GROUP * groupBytes,
            2 * groupBytes,
            Math.min(step, to - row),
            columns / 32,
            x.operands(),
            xRow + c,
            width,
            target,
            (long) (outRow + c) * outStride + outColumn + row,
            outStride);
      }
    }
  }
}
