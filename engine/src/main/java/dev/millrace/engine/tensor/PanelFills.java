package dev.millrace.engine.tensor;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Interleaved weights to floats of a panel: one vector of rows, all columns. Each conversion is
 * exact.
 */
final class PanelFills {
  private static final VectorSpecies<Integer> I = Lanes.INTS;
  private static final VectorSpecies<Float> F = Lanes.FLOATS;
  private static final VectorSpecies<Short> H = Lanes.HALVES;
  private static final VectorSpecies<Byte> B = Lanes.QUARTERS;

  private PanelFills() {}

  /** A block of 32 columns, which lie 32 bytes apart. */
  static void bytes(MemorySegment w, long from, float[] panel, int lane) {
    for (int k = 0; k < 32; k++) {
      ((FloatVector)
              ByteVector.fromMemorySegment(B, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.B2F, F, 0))
          .intoArray(panel, k * Scratch.HEIGHT + lane);
    }
  }

  /** 16-bit floats that are finite. */
  static void halves(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      ((IntVector)
              ShortVector.fromMemorySegment(H, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.S2I, I, 0))
          .lanewise(VectorOperators.LSHL, 13)
          .and(0x8fffe000)
          .reinterpretAsFloats()
          .mul(Half.SHIFTED)
          .intoArray(panel, k * Scratch.HEIGHT + lane);
    }
  }

  /** The upper halves of 32-bit floats. */
  static void brains(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      ((IntVector)
              ShortVector.fromMemorySegment(H, w, from + k * 32L, LITTLE_ENDIAN)
                  .convertShape(VectorOperators.S2I, I, 0))
          .lanewise(VectorOperators.LSHL, 16)
          .reinterpretAsFloats()
          .intoArray(panel, k * Scratch.HEIGHT + lane);
    }
  }

  static void floats(MemorySegment w, long from, int depth, float[] panel, int lane) {
    for (int k = 0; k < depth; k++) {
      FloatVector.fromMemorySegment(F, w, from + k * 64L, LITTLE_ENDIAN)
          .intoArray(panel, k * Scratch.HEIGHT + lane);
    }
  }
}
