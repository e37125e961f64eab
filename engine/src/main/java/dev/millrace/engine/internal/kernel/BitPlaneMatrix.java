package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.tensor.WorkerScratch.HEIGHT;

import dev.millrace.engine.internal.tensor.KernelTemplate;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * A matrix of any quantized type without its own kernel: codes in bit planes, rows interleaved,
 * converted to floats. A group has the low two or four bits: words of 16 lanes, as many columns as
 * fit a lane; the high bits likewise; then 16 halves for each block, and 16 more where there are
 * shifts; in superblocks then 16 bytes for each run, and 16 more where there are minima.
 */
final class BitPlaneMatrix extends PanelMatrix {
  /** What the codes of the types with a table stand for. */
  static final float[] TABLE = new float[16];

  static {
    for (int code = 0; code < 16; code++) {
      TABLE[code] = IqGrids.iq4(code);
    }
  }

  private final BlockFormat format;
  private final int lowBits;
  private final int zero;
  private final int blockLength;
  private final int step;
  private final long highAt;
  private final long halvesAt;
  private final long bytesAt;

  BitPlaneMatrix(TensorPacker packing, int rows, int columns, BlockFormat format) {
    int length = format.type.blockLength();
    int step = format.shifted ? 2 : 1;
    long planes = columns / 32 * 64L * format.bits;
    long halves = columns / length * 32L * step;
    long bytes = format.hasSuperblocks() ? columns / format.run * 16L * step : 0;
    super(packing, rows, columns, planes + halves + bytes, WorkerScratch.DEPTH);
    this.format = format;
    this.step = step;
    lowBits = format.bits & 6;
    zero = -format.value.applyAsInt(0);
    blockLength = length;
    highAt = columns / 32 * 64L * lowBits;
    halvesAt = planes;
    bytesAt = planes + halves;
    packing.packGroups(rows, this::pack);
  }

  /** Where the word with the low bits of column k lies. */
  private long low(int group, int k) {
    return group * groupBytes + k * lowBits / 32 * 64L;
  }

  private long high(int group, int k) {
    return group * groupBytes + highAt + k / 32 * 64L;
  }

  /** Where the scales of blocks lie; shifts follow 32 bytes on. */
  private long halves(int group, int k) {
    return group * groupBytes + halvesAt + k / blockLength * 32L * step;
  }

  /** Where the scales of runs lie; minima follow 16 bytes on. */
  private long bytes(int group, int k) {
    return group * groupBytes + bytesAt + k / format.run * 16L * step;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int k = 0; k < columns; k += 32) {
      long from = k / blockLength * (long) format.type.blockBytes();
      for (int r = 0; r < GROUP; r++) {
        long block = from + r * rowBytes;
        for (int i = k; i < k + 32; i += format.run) {
          packScales(source, block, group, r, i);
        }
        packCodes(source, block, k % blockLength, low(group, k) + r * 4, high(group, k) + r * 4);
      }
    }
  }

  private void packScales(MemorySegment source, long block, int group, int r, int k) {
    long half = halves(group, k) + r * 2;
    if (k % blockLength == 0) {
      weights.set(SHORT, half, source.get(SHORT, block + format.scaleAt));
    }
    if (k % blockLength == 0 && format.shifted) {
      weights.set(SHORT, half + 32, source.get(SHORT, block + format.scaleAt + 2));
    }
    int run = k % blockLength / format.run;
    if (format.hasSuperblocks()) {
      weights.set(BYTE, bytes(group, k) + r, (byte) format.scale(source, block, run));
    }
    if (format.hasSuperblocks() && format.shifted) {
      weights.set(BYTE, bytes(group, k) + 16 + r, (byte) format.minimum(source, block, run));
    }
  }

  /** 32 columns. */
  private void packCodes(MemorySegment source, long block, int k, long low, long high) {
    int highs = 0;
    long lows = 0; // of two bits
    for (int i = 0; i < 32; i += 8) {
      long codes = format.codes.read(source, block, k + i);
      highs |= (int) Long.compress(codes >>> lowBits, 0x0101010101010101L) << i;
      if (lowBits == 4) {
        weights.set(INT, low + i * 8, (int) Long.compress(codes, 0x0f0f0f0f0f0f0f0fL));
      } else {
        lows |= Long.compress(codes, 0x0303030303030303L) << 2 * i;
      }
    }
    if (lowBits == 2) {
      weights.set(INT, low, (int) lows);
      weights.set(INT, low + 64, (int) (lows >>> 32));
    }
    if (format.bits % 2 == 1) {
      weights.set(INT, high, highs);
    }
  }

  @Override
  float weight(int group, int r, int k) {
    int code = weights.get(INT, low(group, k) + r * 4) >>> k * lowBits % 32 & (1 << lowBits) - 1;
    if (format.bits % 2 == 1) {
      code |= (weights.get(INT, high(group, k) + r * 4) >>> k % 32 & 1) << lowBits;
    }
    float scale = half(halves(group, k) + r * 2);
    float shift = format.shifted ? half(halves(group, k) + 32 + r * 2) : 0;
    if (format.hasSuperblocks()) {
      scale = scale * weights.get(BYTE, bytes(group, k) + r) * format.unit();
      shift = format.shifted ? -shift * weights.get(BYTE, bytes(group, k) + 16 + r) : 0;
    }
    int value = format.value.applyAsInt(code);
    return format.shifted ? Math.fma(value, scale, shift) : value * scale;
  }

  @Override
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    boolean table = format == BlockFormat.IQ4_NL || format == BlockFormat.IQ4_XS;
    if (table && VectorWidth.COUNT < GROUP) {
      super.fill(group, column, depth, scratch, lane); // a vector cannot hold the table
      return;
    }
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      for (int k = column; k < column + depth; k += format.run) {
        fill(group, k, l, scratch.panel, (k - column) * HEIGHT + lane + l);
      }
    }
  }

  /** A run of columns, for lanes from l on. */
  private void fill(int group, int k, int l, float[] panel, int to) {
    long halves = halves(group, k) + 2 * l;
    if (format.hasSuperblocks()) {
      long bytes = bytes(group, k) + l;
      BitPlaneKernel.nested(weights, halves, bytes, format.unit(), format.shifted, panel, to);
    } else {
      BitPlaneKernel.plain(weights, halves, format.shifted, panel, to);
    }
    long low = low(group, k) + 4 * l;
    long high = high(group, k) + 4 * l;
    switch (format) {
      case IQ4_NL, IQ4_XS -> BitPlaneKernel.table(weights, low, panel, to);
      case IQ2_XXS -> BitPlaneKernel.signed(weights, low, high, panel, to);
      default -> {
        switch (format.bits) {
          case 2 -> BitPlaneKernel.linear2(weights, low, high, k & 16, zero, panel, to);
          case 3 -> BitPlaneKernel.linear3(weights, low, high, k & 16, zero, panel, to);
          case 4 -> BitPlaneKernel.linear4(weights, low, high, 0, zero, panel, to);
          default -> BitPlaneKernel.linear5(weights, low, high, 0, zero, panel, to);
        }
      }
    }
  }

  private static final class Template extends Lanes {
    private static final int $v = 4;

    /**
     * Leaves the scales of a run in the place of its first column, and the shifts in that of its
     * second: a vector that is chosen by a condition would be an object each time.
     */
    @KernelTemplate(columns = 1)
    static void plain(MemorySegment w, long half, boolean shifted, float[] panel, int to) {
      f16(w, half).intoArray(panel, to);
      if (shifted) {
        f16(w, half + 32).intoArray(panel, to + HEIGHT);
      } else {
        FloatVector.zero(F).intoArray(panel, to + HEIGHT);
      }
    }

    @KernelTemplate(columns = 1)
    static void nested(
        MemorySegment w, long half, long at, float unit, boolean shifted, float[] panel, int to) {
      f16(w, half).mul(int8(w, at)).mul(unit).intoArray(panel, to);
      if (shifted) {
        f16(w, half + 32).neg().mul(int8(w, at + 16)).intoArray(panel, to + HEIGHT);
      } else {
        FloatVector.zero(F).intoArray(panel, to + HEIGHT);
      }
    }

    /** Codes of {@code $v} bits; two runs of 16 columns share a word of high bits. */
    @KernelTemplate(
        columns = 1,
        variants = {"2", "3", "4", "5"})
    static void linear$v(
        MemorySegment w, long low, long high, int from, int zero, float[] panel, int to) {
      FloatVector scale = FloatVector.fromArray(F, panel, to);
      FloatVector shift = FloatVector.fromArray(F, panel, to + HEIGHT);
      IntVector h = int32(w, high).lanewise(VectorOperators.LSHR, from);
      for (int j = 0; j < ($v < 4 ? 1 : 4); j++) {
        IntVector v = int32(w, low + j * 64L);
        for (int i = 0; i < 32 / ($v & 6); i++) {
          IntVector code = v.and((1 << ($v & 6)) - 1);
          if ($v % 2 == 1) {
            code = code.or(h.and(1).lanewise(VectorOperators.LSHL, $v & 6));
          }
          ((FloatVector) code.sub(zero).convert(VectorOperators.I2F, 0))
              .fma(scale, shift)
              .intoArray(panel, to);
          v = v.lanewise(VectorOperators.LSHR, $v & 6);
          h = h.lanewise(VectorOperators.LSHR, 1);
          to += HEIGHT;
        }
      }
    }

    /** Magnitudes 8 + 17 i + i / 2; the high bit is the sign, and goes where a float has it. */
    @KernelTemplate(columns = 1)
    static void signed(MemorySegment w, long low, long high, float[] panel, int to) {
      FloatVector scale = FloatVector.fromArray(F, panel, to);
      IntVector h = int32(w, high);
      for (int j = 0; j < 2; j++) {
        IntVector v = int32(w, low + j * 64L);
        for (int i = 0; i < 16; i++) {
          IntVector index = v.and(3);
          IntVector magnitude = index.mul(17).add(8).add(index.lanewise(VectorOperators.LSHR, 1));
          ((FloatVector) magnitude.convert(VectorOperators.I2F, 0))
              .mul(scale)
              .reinterpretAsInts()
              .lanewise(VectorOperators.XOR, h.lanewise(VectorOperators.LSHL, 31))
              .reinterpretAsFloats()
              .intoArray(panel, to);
          v = v.lanewise(VectorOperators.LSHR, 2);
          h = h.lanewise(VectorOperators.LSHR, 1);
          to += HEIGHT;
        }
      }
    }

    /** 16 lanes hold the whole table. */
    @KernelTemplate(columns = 1)
    static void table(MemorySegment w, long low, float[] panel, int to) {
      FloatVector scale = FloatVector.fromArray(F, panel, to);
      FloatVector values = FloatVector.fromArray(F, BitPlaneMatrix.TABLE, 0);
      for (int j = 0; j < 4; j++) {
        IntVector v = int32(w, low + j * 64L);
        for (int i = 0; i < 8; i++) {
          values.rearrange(v.and(15).toShuffle().cast(F)).mul(scale).intoArray(panel, to);
          v = v.lanewise(VectorOperators.LSHR, 4);
          to += HEIGHT;
        }
      }
    }
  }
}
