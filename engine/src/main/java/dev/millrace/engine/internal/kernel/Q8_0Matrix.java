package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.BYTE;
import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;

/**
 * Q8_0: weights of eight bits, a scale for 32 of them. A block has, column by column, 16
 * weights of each group; then 16 scales of each.
 */
final class Q8_0Matrix extends TiledMatrix {
  private static final int BLOCK = 2 * 512 + 2 * 32;

  /** From so many columns on, turning weights into floats once for all pays. */
  private static final int MANY = 24;

  /** A panel of 64 rows and this depth is the nearest cache's size. */
  private static final int DEPTH = 128;

  private final int blocks;
  private final PanelMatMul panels;

  Q8_0Matrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 32, BLOCK);
    blocks = columns / 32;
    panels = new PanelMatMul(kernels, columns, DEPTH, this::fill);
    packing.packGroups(rows, this::pack);
  }

  /** Where the first column of a block lies; the next one lies 32 bytes on. */
  private long quants(int group, int b) {
    return block(group, b) + side(group) * 16;
  }

  private long scales(int group, int b) {
    return block(group, b) + 1024 + side(group) * 32;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int b = 0; b < blocks; b++) {
      long block = b * 34L;
      for (int r = 0; r < GROUP; r++) {
        weights.set(SHORT, scales(group, b) + r * 2, source.get(SHORT, r * rowBytes + block));
      }
      for (int r = 0; r < GROUP; r += 4) {
        for (int k = 0; k < 32; k += 4) {
          transpose(source, r * rowBytes + block + 2 + k, rowBytes, quants(group, b) + k * 32 + r);
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
    weights.set(INT, to + 32, abOdd & 0xffff | cdOdd << 16);
    weights.set(INT, to + 64, ab >>> 16 | cd & 0xffff0000);
    weights.set(INT, to + 96, abOdd >>> 16 | cdOdd & 0xffff0000);
  }

  @Override
  NativeKernels.Format nativeFormat() {
    return NativeKernels.Format.Q8_0;
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

  private void fill(int row, int column, int depth, WorkerScratch scratch) {
    for (int lane = 0; lane < WorkerScratch.HEIGHT; lane += GROUP) {
      int group = Math.min((row + lane) / GROUP, groups - 1);
      for (int k = 0; k < depth; k += 32) {
        int block = (column + k) / 32;
        int panel = k * WorkerScratch.HEIGHT + lane;
        int factors = k / 32 * WorkerScratch.HEIGHT + lane;
        if (kernels == KernelType.SCALAR) {
          fillScalar(group, block, scratch, panel, factors);
        } else {
          fillVectors(group, block, scratch, panel, factors);
        }
      }
    }
  }

  private void fillVectors(int group, int block, WorkerScratch scratch, int panel, int factors) {
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      PanelDequantizer.q8_0(weights, quants(group, block) + l, scratch.panel, panel + l);
      PanelDequantizer.f16(
          weights, scales(group, block) + 2 * l, 1, scratch.panelScales, factors + l);
    }
  }

  private void fillScalar(int group, int block, WorkerScratch scratch, int panel, int factors) {
    for (int r = 0; r < GROUP; r++) {
      for (int k = 0; k < 32; k++) {
        scratch.panel[panel + k * WorkerScratch.HEIGHT + r] = weight(group, r, block, k);
      }
      scratch.panelScales[factors + r] = scale(group, r, block);
    }
  }

  @Override
  public boolean tile8(int group, Activations x, int c, float[] tile) {
    if (kernels == KernelType.SCALAR) {
      return false;
    }
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      Q8_0VectorKernel.x8(
          weights,
          group * groupBytes,
          l,
          blocks,
          x,
          c,
          c + 1,
          c + 2,
          c + 3,
          c + 4,
          c + 5,
          c + 6,
          c + 7,
          tile);
    }
    return true;
  }

  @Override
  void vectorTile1(long band, int lane, Activations x, int c, float[] tile) {
    Q8_0VectorKernel.x1(weights, band, lane, blocks, x, c, tile);
  }

  @Override
  void vectorTile4(
      long band, int lane, Activations x, int c0, int c1, int c2, int c3, float[] tile) {
    Q8_0VectorKernel.x4(weights, band, lane, blocks, x, c0, c1, c2, c3, tile);
  }

  @Override
  void scalarTile(int group, Activations x, int c, float[] tile, int t) {
    for (int r = 0; r < GROUP; r++) {
      float sum = 0;
      for (int b = 0; b < blocks; b++) {
        float dot = 0;
        for (int k = 0; k < 32; k++) {
          dot = Math.fma(weight(group, r, b, k), x.values[c * columns + b * 32 + k], dot);
        }
        sum = Math.fma(dot, scale(group, r, b), sum);
      }
      tile[t + r] = sum;
    }
  }

  /** Column k of block b. */
  private float weight(int group, int r, int b, int k) {
    return weights.get(BYTE, quants(group, b) + k * 32 + r);
  }

  private float scale(int group, int r, int b) {
    return HalfFloat.toFloat(weights.get(SHORT, scales(group, b) + r * 2));
  }

  @Override
  public void row(int row, float[] out, int offset) {
    int group = row / GROUP;
    int r = row % GROUP;
    for (int k = 0; k < columns; k++) {
      out[offset + k] = weight(group, r, k / 32, k % 32) * scale(group, r, k / 32);
    }
  }
}
