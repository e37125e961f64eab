package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.BYTE;
import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A matrix of a low-bit type without its own kernel: codes in bit planes, rows interleaved,
 * converted to floats by {@link BitPlaneDequantizer}. A group has the low bits: words of 16 lanes,
 * as many columns as fit a lane; the high bits likewise; then 16 halves for each block, and 16 more
 * where there are shifts; in superblocks then 16 bytes for each run, and 16 more where there are
 * minima.
 */
final class BitPlaneMatrix extends PanelMatrix {
  final BitPlaneFormat format;
  final long highAt;
  final long halvesAt;
  final long bytesAt;
  private final int blockLength;
  private final int step;

  BitPlaneMatrix(TensorPacker packing, int rows, int columns, BitPlaneFormat format) {
    super(packing, rows, columns, bytes(format, columns), WorkerScratch.DEPTH);
    this.format = format;
    blockLength = format.type.blockLength();
    step = format.shifted ? 2 : 1;
    highAt = columns / 32 * 64L * format.lowBits;
    halvesAt = highAt + columns / 32 * 64L * format.highBits;
    bytesAt = halvesAt + columns / blockLength * 32L * step;
    packing.packGroups(rows, this::pack);
  }

  private static long bytes(BitPlaneFormat format, int columns) {
    int step = format.shifted ? 2 : 1;
    long planes = columns / 32 * 64L * (format.lowBits + format.highBits);
    long halves = columns / format.type.blockLength() * 32L * step;
    return planes + halves + (format.hasSuperblocks() ? columns / format.run * 16L * step : 0);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    long base = group * groupBytes;
    for (int r = 0; r < GROUP; r++) {
      for (int b = 0; b < columns / blockLength; b++) {
        long block = r * rowBytes + (long) b * format.type.blockBytes();
        long half = base + halvesAt + b * 32L * step + r * 2;
        weights.set(SHORT, half, source.get(SHORT, block + format.scaleAt()));
        if (format.shifted) {
          weights.set(SHORT, half + 32, source.get(SHORT, block + format.shiftAt()));
        }
        packScales(
            source, block, base + bytesAt + (long) b * (blockLength / format.run) * 16 * step + r);
        packCodes(source, block, base + r * 4, b * blockLength);
      }
    }
  }

  private void packScales(MemorySegment source, long block, long at) {
    for (int run = 0; format.hasSuperblocks() && run < blockLength / format.run; run++) {
      weights.set(BYTE, at + run * 16L * step, (byte) format.scale(source, block, run));
      if (format.shifted) {
        weights.set(BYTE, at + run * 16L * step + 16, (byte) format.minimum(source, block, run));
      }
    }
  }

  private void packCodes(MemorySegment source, long block, long lane, int column) {
    int low = format.lowBits;
    long lowMask = 0x0101010101010101L * ((1 << low) - 1);
    long highMask = 0x0101010101010101L << low;
    for (int k = 0; k < blockLength; k += 32) {
      long lows = 0; // for two bits all 32 columns
      int highs = 0;
      for (int i = 0; i < 32; i += 8) {
        long eight = format.codes(source, block, k + i);
        long word = Long.compress(eight, lowMask);
        highs |= (int) Long.compress(eight, highMask) << i;
        if (low == 4) {
          weights.set(INT, lane + (column + k + i) / 8 * 64L, (int) word);
        } else {
          lows |= word << 2 * i;
        }
      }
      if (low == 2) {
        weights.set(INT, lane + (column + k) / 16 * 64L, (int) lows);
        weights.set(INT, lane + (column + k) / 16 * 64L + 64, (int) (lows >>> 32));
      }
      if (format.highBits == 1) {
        weights.set(INT, lane + highAt + (column + k) / 32 * 64L, highs);
      }
    }
  }

  @Override
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    for (int b = 0; b < depth / 32; b++) {
      int at = b * WorkerScratch.HEIGHT + lane;
      Arrays.fill(scratch.panelScales, at, at + GROUP, 1f);
    }
    if (kernels != KernelType.SCALAR
        && (format != BitPlaneFormat.IQ4_NL && format != BitPlaneFormat.IQ4_XS
            || VectorWidth.COUNT == GROUP)) {
      for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
        BitPlaneDequantizer.fill(this, group, column, depth, l, scratch.panel, lane + l);
      }
      return;
    }
    for (int k = 0; k < depth; k++) {
      for (int r = 0; r < GROUP; r++) {
        scratch.panel[k * WorkerScratch.HEIGHT + lane + r] = weight(group, r, column + k);
      }
    }
  }

  private float weight(int group, int r, int k) {
    long base = group * groupBytes;
    int code = bits(base + r * 4, k, format.lowBits);
    if (format.highBits > 0) {
      code |= bits(base + highAt + r * 4, k, format.highBits) << format.lowBits;
    }
    long half = base + halvesAt + k / blockLength * 32L * step + r * 2;
    float scale = HalfFloat.toFloat(weights.get(SHORT, half));
    float shift = format.shifted ? HalfFloat.toFloat(weights.get(SHORT, half + 32)) : 0;
    if (format.hasSuperblocks()) {
      long at = base + bytesAt + k / format.run * 16L * step + r;
      scale = scale * weights.get(BYTE, at) * format.unit();
      shift = format.shifted ? -shift * weights.get(BYTE, at + 16) : 0;
    }
    return format.shifted
        ? Math.fma(format.codeValue(code), scale, shift)
        : format.codeValue(code) * scale;
  }

  private int bits(long plane, int column, int bits) {
    int perWord = 32 / bits;
    int word = weights.get(INT, plane + column / perWord * 64L);
    return word >>> column % perWord * bits & (1 << bits) - 1;
  }

  @Override
  public void row(int row, float[] out, int offset) {
    for (int k = 0; k < columns; k++) {
      out[offset + k] = weight(row / GROUP, row % GROUP, k);
    }
  }
}
