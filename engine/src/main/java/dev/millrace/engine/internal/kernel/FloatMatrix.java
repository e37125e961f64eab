package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.FLOAT;
import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A matrix of F32, F16 or BF16: a group has, column by column, 16 weights. */
final class FloatMatrix extends PanelMatrix implements TileMatMul {
  /** Up to so many columns, weights become floats on the way; beyond, once for all. */
  private static final int FEW = 8;

  private static final int DEPTH = 128;
  private final TensorType type;
  private final int width;

  FloatMatrix(TensorPacker packing, int rows, int columns) {
    super(
        packing,
        rows,
        columns,
        (long) columns * GROUP * packing.tensor().type().blockBytes(),
        DEPTH);
    type = packing.tensor().type();
    width = type.blockBytes();
    packing.packGroups(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long base = group * groupBytes;
    for (int r = 0; r < GROUP; r++) {
      for (int k = 0; k < columns; k++) {
        long from = r * rowBytes + (long) k * width;
        long to = base + ((long) k * GROUP + r) * width;
        if (width == 4) {
          weights.set(INT, to, source.get(INT, from));
        } else {
          weights.set(SHORT, to, source.get(SHORT, from));
        }
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
    if (kernels != KernelType.SCALAR && count <= FEW) {
      multiplyTiles(
          from, to, x, xRow, count, out, outRow, outStride, outColumn, scratch(worker).tile);
    } else {
      super.multiply(from, to, x, xRow, count, out, outRow, outStride, outColumn, worker);
    }
  }

  @Override
  public void tile1(int group, Activations x, int c, float[] tile) {
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      long q0 = group * groupBytes + (long) l * width;
      long q1 = q0 + groupBytes;
      switch (type) {
        case F32 -> FloatVectorKernel.f32x1(weights, q0, q1, x, c, tile, l, GROUP + l);
        case F16 -> FloatVectorKernel.f16x1(weights, q0, q1, x, c, tile, l, GROUP + l);
        default -> FloatVectorKernel.bf16x1(weights, q0, q1, x, c, tile, l, GROUP + l);
      }
    }
  }

  @Override
  public void tile4(int group, Activations x, int c, int count, float[] tile) {
    int last = c + count - 1;
    int third = Math.min(c + 2, last);
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      long q0 = group * groupBytes + (long) l * width;
      long q1 = q0 + groupBytes;
      switch (type) {
        case F32 ->
            FloatVectorKernel.f32x4(weights, q0, q1, x, c, c + 1, third, last, tile, l, GROUP + l);
        case F16 ->
            FloatVectorKernel.f16x4(weights, q0, q1, x, c, c + 1, third, last, tile, l, GROUP + l);
        default ->
            FloatVectorKernel.bf16x4(weights, q0, q1, x, c, c + 1, third, last, tile, l, GROUP + l);
      }
    }
  }

  @Override
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    for (int b = 0; b < (depth + 31) / 32; b++) {
      int at = b * WorkerScratch.HEIGHT + lane;
      Arrays.fill(scratch.panelScales, at, at + GROUP, 1f);
    }
    long from = group * groupBytes + (long) column * GROUP * width;
    if (kernels == KernelType.SCALAR) {
      for (int k = 0; k < depth; k++) {
        for (int r = 0; r < GROUP; r++) {
          scratch.panel[k * WorkerScratch.HEIGHT + lane + r] =
              weight(from + ((long) k * GROUP + r) * width);
        }
      }
      return;
    }
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      switch (type) {
        case F32 -> PanelDequantizer.f32(weights, from + 4 * l, depth, scratch.panel, lane + l);
        case F16 -> PanelDequantizer.f16(weights, from + 2 * l, depth, scratch.panel, lane + l);
        default -> PanelDequantizer.bf16(weights, from + 2 * l, depth, scratch.panel, lane + l);
      }
    }
  }

  private float weight(long at) {
    return switch (type) {
      case F32 -> weights.get(FLOAT, at);
      case F16 -> HalfFloat.toFloat(weights.get(SHORT, at));
      default -> Float.intBitsToFloat(weights.get(SHORT, at) << 16);
    };
  }

  @Override
  public void row(int row, float[] out, int offset) {
    long from = row / GROUP * groupBytes + (long) (row % GROUP) * width;
    for (int k = 0; k < columns; k++) {
      out[offset + k] = weight(from + (long) k * GROUP * width);
    }
  }
}
