package dev.millrace.engine.tensor;

/**
 * Row groups in bands of two, whose weights and scales lie in exactly the order in which a product
 * reads them: one stream of cache lines, which the processor fetches ahead. Groups one after the
 * other, with scales in a place of their own, reached two thirds of the speed from memory, and two
 * streams in one page less than half.
 */
abstract class BandMatrix extends RowGroups implements Tiles {
  private final int blockBytes;

  /**
   * @param blockColumns the columns of a block
   * @param blockBytes its bytes in both groups of a band, a multiple of a cache line
   */
  BandMatrix(Packing packing, int rows, int columns, int blockColumns, int blockBytes) {
    super(packing, rows, columns, columns / blockColumns * (long) blockBytes / 2);
    this.blockBytes = blockBytes;
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
    multiplyTiles(
        from, to, x, xRow, count, out, outRow, outStride, outColumn, scratch(worker).tile);
  }

  @Override
  public final void one(int group, Activations x, int c, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      scalar(group, x, c, tile, 0);
      scalar(group + 1, x, c, tile, GROUP);
      return;
    }
    for (int lane = 0; lane < GROUP; lane += Lanes.COUNT) {
      vectorsOne(group * groupBytes, lane, x, c, tile);
    }
  }

  @Override
  public final void four(int group, Activations x, int c, int count, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      for (int i = 0; i < count; i++) {
        scalar(group, x, c + i, tile, 32 * i);
        scalar(group + 1, x, c + i, tile, 32 * i + GROUP);
      }
      return;
    }
    int last = c + count - 1;
    for (int lane = 0; lane < GROUP; lane += Lanes.COUNT) {
      vectorsFour(group * groupBytes, lane, x, c, c + 1, Math.min(c + 2, last), last, tile);
    }
  }

  /** The oracle: 16 rows and one column, into tile[t…]. */
  abstract void scalar(int group, Activations x, int c, float[] tile, int t);

  /** The kernel of one column, for a band's lanes from {@code lane} on. */
  abstract void vectorsOne(long band, int lane, Activations x, int c, float[] tile);

  /** The kernel of four columns. */
  abstract void vectorsFour(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile);
}
