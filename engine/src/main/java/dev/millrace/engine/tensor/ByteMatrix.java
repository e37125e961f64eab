package dev.millrace.engine.tensor;

import static dev.millrace.engine.tensor.Packing.BYTE;
import static dev.millrace.engine.tensor.Packing.INT;
import static dev.millrace.engine.tensor.Packing.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Q8_0: weights of eight bits, a scale for 32 of them. A group has, column by column, 16 weights;
 * then, block by block, 16 scales.
 */
final class ByteMatrix extends RowGroups {
  /** From so many columns on, turning weights into floats once for all pays. */
  private static final int MANY = 24;

  /** A panel of 64 rows and this depth is the nearest cache's size. */
  private static final int DEPTH = 128;

  private final int blocks;
  private final Panels panels;

  ByteMatrix(Packing packing, int rows, int columns) {
    super(packing, rows, columns, columns / 32 * 544L);
    blocks = columns / 32;
    panels = new Panels(kernels, columns, DEPTH, this::fill);
    packing.each(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long quants = group * groupBytes;
    long scales = quants + blocks * 512L;
    for (int b = 0; b < blocks; b++) {
      long block = b * 34L;
      for (int r = 0; r < GROUP; r++) {
        weights.set(SHORT, scales + b * 32L + r * 2, source.get(SHORT, r * rowBytes + block));
      }
      for (int r = 0; r < GROUP; r += 4) {
        for (int k = 0; k < 32; k += 4) {
          transpose(source, r * rowBytes + block + 2 + k, rowBytes, quants + b * 512L + k * 16 + r);
        }
      }
    }
  }

  /** Four rows by four columns of bytes. */
  private void transpose(MemorySegment source, long from, long rowBytes, long to) {
    int a = source.get(INT, from);
    int b = source.get(INT, from + rowBytes);
    int c = source.get(INT, from + 2 * rowBytes);
    int d = source.get(INT, from + 3 * rowBytes);
    int ab = a & 0x00ff00ff | (b & 0x00ff00ff) << 8; // columns 0 and 2 of rows 0 and 1
    int cd = c & 0x00ff00ff | (d & 0x00ff00ff) << 8;
    int abOdd = a >>> 8 & 0x00ff00ff | b & 0xff00ff00; // columns 1 and 3
    int cdOdd = c >>> 8 & 0x00ff00ff | d & 0xff00ff00;
    weights.set(INT, to, ab & 0xffff | cd << 16);
    weights.set(INT, to + 16, abOdd & 0xffff | cdOdd << 16);
    weights.set(INT, to + 32, ab >>> 16 | cd & 0xffff0000);
    weights.set(INT, to + 48, abOdd >>> 16 | cdOdd & 0xffff0000);
  }

  @Override
  public boolean takesIntegers() {
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
    if (count < MANY) {
      super.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, worker);
    } else {
      panels.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, scratch(worker));
    }
  }

  private void fill(int row, int column, int depth, Scratch scratch) {
    for (int lane = 0; lane < Scratch.HEIGHT; lane += GROUP) {
      int group = Math.min((row + lane) / GROUP, groups - 1);
      long quants = group * groupBytes + column * 16L;
      long scales = group * groupBytes + blocks * 512L + column / 32 * 32L;
      if (kernels == Kernels.SCALAR) {
        fillScalar(quants, scales, depth, scratch, lane);
      } else {
        for (int l = 0; l < GROUP; l += Lanes.COUNT) {
          PanelFills.bytes(weights, quants + l, depth, scratch.panel, lane + l);
          PanelFills.halves(weights, scales + 2 * l, depth / 32, scratch.panelScales, lane + l);
        }
      }
    }
  }

  private void fillScalar(long quants, long scales, int depth, Scratch scratch, int lane) {
    for (int r = 0; r < GROUP; r++) {
      for (int k = 0; k < depth; k++) {
        scratch.panel[k * Scratch.HEIGHT + lane + r] = weights.get(BYTE, quants + k * 16L + r);
      }
      for (int b = 0; b < depth / 32; b++) {
        scratch.panelScales[b * Scratch.HEIGHT + lane + r] =
            Half.toFloat(weights.get(SHORT, scales + b * 32L + r * 2));
      }
    }
  }

  @Override
  void one(int group, int other, Activations x, int c, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      scalar(group, x, c, tile, 0);
      scalar(other, x, c, tile, GROUP);
      return;
    }
    long q0 = group * groupBytes;
    long q1 = other * groupBytes;
    long s = blocks * 512L;
    for (int l = 0; l < GROUP; l += Lanes.COUNT) {
      ByteVectors.one(
          weights,
          q0 + l,
          q1 + l,
          q0 + s + 2 * l,
          q1 + s + 2 * l,
          blocks,
          x,
          c,
          tile,
          l,
          GROUP + l);
    }
  }

  @Override
  void four(int group, int other, Activations x, int c, int count, float[] tile) {
    if (kernels == Kernels.SCALAR) {
      for (int i = 0; i < count; i++) {
        scalar(group, x, c + i, tile, 32 * i);
        scalar(other, x, c + i, tile, 32 * i + GROUP);
      }
      return;
    }
    long q0 = group * groupBytes;
    long q1 = other * groupBytes;
    long s = blocks * 512L;
    int last = c + count - 1;
    for (int l = 0; l < GROUP; l += Lanes.COUNT) {
      ByteVectors.four(
          weights,
          q0 + l,
          q1 + l,
          q0 + s + 2 * l,
          q1 + s + 2 * l,
          blocks,
          x,
          c,
          c + 1,
          Math.min(c + 2, last),
          last,
          tile,
          l,
          GROUP + l);
    }
  }

  @Override
  boolean hasEight() {
    return kernels == Kernels.VECTOR;
  }

  @Override
  void eight(int group, int other, Activations x, int c, float[] tile) {
    long q0 = group * groupBytes;
    long q1 = other * groupBytes;
    long s = blocks * 512L;
    for (int l = 0; l < GROUP; l += Lanes.COUNT) {
      ByteVectors.eight(
          weights,
          q0 + l,
          q1 + l,
          q0 + s + 2 * l,
          q1 + s + 2 * l,
          blocks,
          x,
          c,
          tile,
          l,
          GROUP + l);
    }
  }

  private void scalar(int group, Activations x, int c, float[] tile, int t) {
    long quants = group * groupBytes;
    long scales = quants + blocks * 512L;
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < blocks; b++) {
        float dot = 0;
        for (int k = b * 32; k < b * 32 + 32; k++) {
          dot =
              Math.fma(
                  (float) weights.get(BYTE, quants + k * 16L + r), x.values[c * columns + k], dot);
        }
        sum = Math.fma(dot, Half.toFloat(weights.get(SHORT, scales + b * 32L + r * 2)), sum);
      }
      tile[t + r] = sum;
    }
  }

  @Override
  public void row(int row, float[] out, int offset) {
    long quants = row / GROUP * groupBytes;
    long scales = quants + blocks * 512L;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      out[offset + k] =
          weights.get(BYTE, quants + k * 16L + r)
              * Half.toFloat(weights.get(SHORT, scales + k / 32 * 32L + r * 2));
    }
  }
}
