package dev.millrace.engine.internal.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.millrace.engine.internal.tensor.HalfFloat;
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
 * Converts interleaved weights to the floats of a panel: one vector of rows, all columns. Each
 * conversion is exact.
 */
final class PanelDequantizer {
  private static final VectorSpecies<Integer> I = VectorWidth.INTS;
  private static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  private static final VectorSpecies<Short> H = VectorWidth.HALVES;
  private static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;

  private PanelDequantizer() {}

  /** A block of 32 columns, which lie 32 bytes apart. */
  static void q8_0(MemorySegment w, long from, float[] panel, int lane) {
    for (int k = 0; k < 32; k++) {
      ((FloatVector)
              ByteVector.fromMemorySegment(B, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.B2F, F, 0))
          .intoArray(panel, k * WorkerScratch.HEIGHT + lane);
    }
  }

  /** 16-bit floats that are finite. */
  static void f16(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      ((IntVector)
              ShortVector.fromMemorySegment(H, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.S2I, I, 0))
          .lanewise(VectorOperators.LSHL, 13)
          .and(0x8fffe000)
          .reinterpretAsFloats()
          .mul(HalfFloat.SHIFTED)
          .intoArray(panel, k * WorkerScratch.HEIGHT + lane);
    }
  }

  /** The upper halves of 32-bit floats. */
  static void bf16(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      ((IntVector)
              ShortVector.fromMemorySegment(H, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.S2I, I, 0))
          .lanewise(VectorOperators.LSHL, 16)
          .reinterpretAsFloats()
          .intoArray(panel, k * WorkerScratch.HEIGHT + lane);
    }
  }

  static void f32(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      FloatVector.fromMemorySegment(F, w, from + k * 64L, LITTLE_ENDIAN)
          .intoArray(panel, k * WorkerScratch.HEIGHT + lane);
    }
  }
}
