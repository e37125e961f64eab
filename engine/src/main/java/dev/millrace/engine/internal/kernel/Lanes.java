package dev.millrace.engine.internal.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.S2I;

import dev.millrace.engine.internal.tensor.HalfFloat;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The words in which kernels are written: vectors of weights, a row in each lane. Templates extend
 * it; see {@link KernelTemplate}.
 */
class Lanes {
  static final VectorSpecies<Integer> I = VectorWidth.INTS;
  static final VectorSpecies<Float> F = VectorWidth.FLOATS;
  static final VectorSpecies<Short> H = VectorWidth.HALVES;
  static final VectorSpecies<Byte> B = VectorWidth.QUARTERS;

  /** The bytes of a weight. */
  static final int f32_BYTES = 4;

  static final int f16_BYTES = 2;
  static final int bf16_BYTES = 2;
  static final int int8_BYTES = 1;

  /** In a template, that of its variant. */
  static final int $v_BYTES = 0;

  /** The number of columns, and the indices of the column and of the vector of rows. */
  static final int $n = 1;

  static final int $c = 0;
  static final int $r = 0;

  /** In a template, the method that its variant is called. */
  static FloatVector $v(MemorySegment w, long at) {
    throw new UnsupportedOperationException();
  }

  static FloatVector f32(MemorySegment w, long at) {
    return FloatVector.fromMemorySegment(F, w, at, LITTLE_ENDIAN);
  }

  /** The upper halves of 32-bit floats. */
  static FloatVector bf16(MemorySegment w, long at) {
    return ((IntVector)
            ShortVector.fromMemorySegment(H, w, at, LITTLE_ENDIAN).convertShape(S2I, I, 0))
        .lanewise(LSHL, 16)
        .reinterpretAsFloats();
  }

  /** 16-bit floats that are finite: {@link HalfFloat#toFloat}. */
  static FloatVector f16(MemorySegment w, long at) {
    return ((IntVector)
            ShortVector.fromMemorySegment(H, w, at, LITTLE_ENDIAN).convertShape(S2I, I, 0))
        .lanewise(LSHL, 13)
        .and(0x8fffe000)
        .reinterpretAsFloats()
        .mul(HalfFloat.SHIFTED);
  }

  static FloatVector int8(MemorySegment w, long at) {
    return (FloatVector)
        ByteVector.fromMemorySegment(B, w, at, LITTLE_ENDIAN).convertShape(B2F, F, 0);
  }

  static IntVector int32(MemorySegment w, long at) {
    return IntVector.fromMemorySegment(I, w, at, LITTLE_ENDIAN);
  }

  /** Two 16-bit lanes for each row. */
  static ShortVector pairs(MemorySegment w, long at) {
    return int32(w, at).reinterpretAsShorts();
  }

  /** The same pair for every row. */
  static ShortVector same(int pair) {
    return IntVector.broadcast(I, pair).reinterpretAsShorts();
  }

  /** The sum of each pair of a variable: an expression, which would be there twice, cost Q6_K 8 %. */
  static FloatVector sums(IntVector p) {
    return (FloatVector)
        p.lanewise(LSHL, 16).lanewise(ASHR, 16).add(p.lanewise(ASHR, 16)).convert(I2F, 0);
  }
}
