package dev.millrace.engine.internal.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.IqGrids;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Converts bit planes to the floats of a panel: one vector of rows, some columns. The vector form
 * of {@link BitPlaneFormat}.
 */
final class BitPlaneDequantizer {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;
  private static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;
  private static final float[] IQ4 = new float[16];

  static {
    for (int code = 0; code < 16; code++) {
      IQ4[code] = IqGrids.iq4(code);
    }
  }

  private BitPlaneDequantizer() {}

  /** Columns [column, column + depth) of a group's lanes from {@code l} on. */
  static void fill(
      BitPlaneMatrix m, int group, int column, int depth, int l, float[] panel, int lane) {
    BitPlaneFormat format = m.format;
    MemorySegment w = m.weights;
    long base = group * m.groupBytes;
    int run = format.run;
    int block = format.type.blockLength();
    int step = format.shifted ? 2 : 1;
    for (int k = column; k < column + depth; k += run) {
      int to = (k - column) * WorkerScratch.HEIGHT + lane;
      long half = base + m.halvesAt + k / block * 32L * step + 2 * l;
      long at = base + m.bytesAt + k / run * 16L * step + l;
      scales(format, w, half, at, panel, to);
      long low = base + (long) k * format.lowBits / 32 * 64 + 4 * l;
      long high = base + m.highAt + k / 32 * 64L + 4 * l;
      switch (format) {
        case IQ4_NL, IQ4_XS -> table(w, low, panel, to);
        case IQ2_XXS -> signed(w, low, high, panel, to);
        case Q4_1 -> four(w, low, panel, to);
        case Q2_K -> two(w, low, panel, to);
        case Q3_K -> three(w, low, high, k & 16, panel, to);
        default -> five(w, low, high, format.zero(), panel, to);
      }
    }
  }

  /**
   * Leaves the scales of a run in the place of its first column, and the shifts in that of its
   * second: a vector that is chosen by a condition or handed to a method which is not inlined would
   * be an object each time.
   */
  private static void scales(
      BitPlaneFormat format, MemorySegment w, long half, long at, float[] panel, int to) {
    if (format.hasSuperblocks()) {
      halves(w, half).mul(bytes(w, at)).mul(format.unit()).intoArray(panel, to);
    } else {
      halves(w, half).intoArray(panel, to);
    }
    if (!format.shifted) {
      FloatVector.zero(F).intoArray(panel, to + WorkerScratch.HEIGHT);
    } else if (format.hasSuperblocks()) {
      FloatVector shift = halves(w, half + 32).neg().mul(bytes(w, at + 16));
      shift.intoArray(panel, to + WorkerScratch.HEIGHT);
    } else {
      halves(w, half + 32).intoArray(panel, to + WorkerScratch.HEIGHT);
    }
  }

  private static FloatVector scale(float[] panel, int to) {
    return FloatVector.fromArray(F, panel, to);
  }

  private static FloatVector shift(float[] panel, int to) {
    return FloatVector.fromArray(F, panel, to + WorkerScratch.HEIGHT);
  }

  private static FloatVector halves(MemorySegment w, long at) {
    return ((IntVector)
            ShortVector.fromMemorySegment(H, w, at, LITTLE_ENDIAN)
                .convertShape(VectorOperators.S2I, I, 0))
        .lanewise(VectorOperators.LSHL, 13)
        .and(0x8fffe000)
        .reinterpretAsFloats()
        .mul(HalfFloat.SHIFTED);
  }

  private static FloatVector bytes(MemorySegment w, long at) {
    return (FloatVector)
        ByteVector.fromMemorySegment(B, w, at, LITTLE_ENDIAN)
            .convertShape(VectorOperators.B2F, F, 0);
  }

  private static void four(MemorySegment w, long low, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    FloatVector shift = shift(panel, to);
    for (int j = 0; j < 4; j++) {
      IntVector v = IntVector.fromMemorySegment(I, w, low + j * 64L, LITTLE_ENDIAN);
      for (int i = 0; i < 8; i++) {
        ((FloatVector) v.and(15).convert(VectorOperators.I2F, 0))
            .fma(scale, shift)
            .intoArray(panel, to);
        v = v.lanewise(VectorOperators.LSHR, 4);
        to += WorkerScratch.HEIGHT;
      }
    }
  }

  private static void five(MemorySegment w, long low, long high, int zero, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    FloatVector shift = shift(panel, to);
    IntVector h = IntVector.fromMemorySegment(I, w, high, LITTLE_ENDIAN);
    for (int j = 0; j < 4; j++) {
      IntVector v = IntVector.fromMemorySegment(I, w, low + j * 64L, LITTLE_ENDIAN);
      for (int i = 0; i < 8; i++) {
        IntVector code = v.and(15).or(h.and(1).lanewise(VectorOperators.LSHL, 4)).sub(zero);
        ((FloatVector) code.convert(VectorOperators.I2F, 0)).fma(scale, shift).intoArray(panel, to);
        v = v.lanewise(VectorOperators.LSHR, 4);
        h = h.lanewise(VectorOperators.LSHR, 1);
        to += WorkerScratch.HEIGHT;
      }
    }
  }

  private static void two(MemorySegment w, long low, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    FloatVector shift = shift(panel, to);
    IntVector v = IntVector.fromMemorySegment(I, w, low, LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) {
      ((FloatVector) v.and(3).convert(VectorOperators.I2F, 0))
          .fma(scale, shift)
          .intoArray(panel, to);
      v = v.lanewise(VectorOperators.LSHR, 2);
      to += WorkerScratch.HEIGHT;
    }
  }

  /** A word of high bits serves two runs: the second begins at bit {@code from}. */
  private static void three(MemorySegment w, long low, long high, int from, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    IntVector v = IntVector.fromMemorySegment(I, w, low, LITTLE_ENDIAN);
    IntVector h =
        IntVector.fromMemorySegment(I, w, high, LITTLE_ENDIAN).lanewise(VectorOperators.LSHR, from);
    for (int i = 0; i < 16; i++) {
      IntVector code = v.and(3).or(h.and(1).lanewise(VectorOperators.LSHL, 2)).sub(4);
      ((FloatVector) code.convert(VectorOperators.I2F, 0)).mul(scale).intoArray(panel, to);
      v = v.lanewise(VectorOperators.LSHR, 2);
      h = h.lanewise(VectorOperators.LSHR, 1);
      to += WorkerScratch.HEIGHT;
    }
  }

  /** Magnitudes 8 + 17 i + i / 2; the high bit is the sign, and goes where a float has it. */
  private static void signed(MemorySegment w, long low, long high, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    IntVector h = IntVector.fromMemorySegment(I, w, high, LITTLE_ENDIAN);
    for (int j = 0; j < 2; j++) {
      IntVector v = IntVector.fromMemorySegment(I, w, low + j * 64L, LITTLE_ENDIAN);
      for (int i = 0; i < 16; i++) {
        IntVector index = v.and(3);
        IntVector magnitude = index.mul(17).add(8).add(index.lanewise(VectorOperators.LSHR, 1));
        FloatVector value = ((FloatVector) magnitude.convert(VectorOperators.I2F, 0)).mul(scale);
        IntVector sign = h.lanewise(VectorOperators.LSHL, 31);
        value
            .reinterpretAsInts()
            .lanewise(VectorOperators.XOR, sign)
            .reinterpretAsFloats()
            .intoArray(panel, to);
        v = v.lanewise(VectorOperators.LSHR, 2);
        h = h.lanewise(VectorOperators.LSHR, 1);
        to += WorkerScratch.HEIGHT;
      }
    }
  }

  /** 16 lanes hold the whole table; narrower vectors take the scalar way. */
  private static void table(MemorySegment w, long low, float[] panel, int to) {
    FloatVector scale = scale(panel, to);
    FloatVector values = FloatVector.fromArray(F, IQ4, 0);
    for (int j = 0; j < 4; j++) {
      IntVector v = IntVector.fromMemorySegment(I, w, low + j * 64L, LITTLE_ENDIAN);
      for (int i = 0; i < 8; i++) {
        FloatVector value = values.rearrange(v.and(15).toShuffle().cast(F));
        value.mul(scale).intoArray(panel, to);
        v = v.lanewise(VectorOperators.LSHR, 4);
        to += WorkerScratch.HEIGHT;
      }
    }
  }
}
