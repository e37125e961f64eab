package dev.millrace.engine.internal.math;

import dev.millrace.engine.internal.nativecode.NativeKernels;
import java.lang.foreign.MemorySegment;

/**
 * Vectors, but for the activation functions: these are the longest loops of a layer beside its
 * products, and would be the slowest of a first token, before they are compiled.
 */
final class NativeArithmetic extends VectorArithmetic {
  /** An array as native kernels take it: made once for the buffers of a model's layers. */
  private record ArraySegment(float[] array, MemorySegment segment) {
    static ArraySegment of(float[] array, ArraySegment last) {
      return last.array == array ? last : new ArraySegment(array, MemorySegment.ofArray(array));
    }
  }

  private static final ArraySegment NONE = new ArraySegment(new float[0], MemorySegment.NULL);

  // Threads may replace each other's; either is right.
  private ArraySegment lastGate = NONE;
  private ArraySegment lastUp = NONE;

  @Override
  public void siluMul(float[] gate, int go, float[] up, int uo, int n) {
    gate(gate, go, up, uo, n, SiluGelu.SILU_CUBE, SiluGelu.SILU_SLOPE);
  }

  @Override
  public void geluTanhMul(float[] gate, int go, float[] up, int uo, int n) {
    gate(gate, go, up, uo, n, SiluGelu.GELU_CUBE, SiluGelu.GELU_SLOPE);
  }

  private void gate(float[] gate, int go, float[] up, int uo, int n, float cube, float slope) {
    ArraySegment gates = ArraySegment.of(gate, lastGate);
    ArraySegment ups = ArraySegment.of(up, lastUp);
    lastGate = gates;
    lastUp = ups;
    NativeKernels.gate(gates.segment, go, n, cube, slope, ups.segment, uo);
  }
}
