package dev.millrace.engine.internal.cache;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.MAX;
import static jdk.incubator.vector.VectorOperators.S2I;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector implementation for any width. Loops are flat and call only the JDK: anything else
 * might not be inlined, and vectors would be boxed.
 */
final class VectorAttentionKernels implements AttentionKernels {
  private static final VectorSpecies<Float> FLOATS = VectorWidth.FLOATS;
  private static final int COUNT = VectorWidth.COUNT;
  private static final int SIZE = KvPageSize.POSITIONS;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /**
   * Sign, exponent and fraction of a half, once it is sign-extended and shifted to where a float
   * has them.
   */
  private static final int HALF_BITS = 0x8fffe000;

  /** What the exponent is short of then. */
  private static final float HALF_BIAS = 0x1p112f;

  private final Arithmetic arithmetic = Arithmetic.of(KernelType.VECTOR);

  @Override
  public void halves(MemorySegment from, long at, int n, float[] to) {
    for (int i = 0; i < n; i += COUNT) {
      IntVector bits =
          (IntVector)
              ShortVector.fromMemorySegment(VectorWidth.HALVES, from, at + 2L * i, ORDER)
                  .convertShape(S2I, VectorWidth.INTS, 0);
      bits.lanewise(LSHL, 13).and(HALF_BITS).reinterpretAsFloats().mul(HALF_BIAS).intoArray(to, i);
    }
  }

  @Override
  public void columns(MemorySegment from, long at, long scales, int dims, float[] to) {
    for (int p = 0; p < SIZE; p += COUNT) {
      FloatVector scale = FloatVector.fromMemorySegment(FLOATS, from, scales + 4L * p, ORDER);
      for (int i = p; i < dims * SIZE; i += SIZE) {
        FloatVector q =
            (FloatVector)
                ByteVector.fromMemorySegment(VectorWidth.QUARTERS, from, at + i, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        q.mul(scale).intoArray(to, i);
      }
    }
  }

  @Override
  public void rows(
      MemorySegment from, long at, long scales, int positions, int stride, float[] to) {
    for (int p = 0; p < positions; p++) {
      FloatVector scale =
          FloatVector.broadcast(FLOATS, from.get(ValueLayout.JAVA_FLOAT, scales + 4L * p));
      for (int i = p * stride; i < (p + 1) * stride; i += COUNT) {
        FloatVector q =
            (FloatVector)
                ByteVector.fromMemorySegment(VectorWidth.QUARTERS, from, at + i, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        q.mul(scale).intoArray(to, i);
      }
    }
  }

  @Override
  public void scores4(float[] q, int qo, int dims, float[] keys, float[] scores, int so) {
    for (int p = 0; p < SIZE; p += 2 * COUNT) {
      FloatVector a0 = FloatVector.zero(FLOATS);
      FloatVector a1 = a0;
      FloatVector b0 = a0;
      FloatVector b1 = a0;
      FloatVector c0 = a0;
      FloatVector c1 = a0;
      FloatVector d0 = a0;
      FloatVector d1 = a0;
      for (int d = 0; d < dims; d++) {
        FloatVector k0 = FloatVector.fromArray(FLOATS, keys, d * SIZE + p);
        FloatVector k1 = FloatVector.fromArray(FLOATS, keys, d * SIZE + p + COUNT);
        FloatVector x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD]);
        a0 = k0.fma(x, a0);
        a1 = k1.fma(x, a1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 1]);
        b0 = k0.fma(x, b0);
        b1 = k1.fma(x, b1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 2]);
        c0 = k0.fma(x, c0);
        c1 = k1.fma(x, c1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 3]);
        d0 = k0.fma(x, d0);
        d1 = k1.fma(x, d1);
      }
      a0.intoArray(scores, so + p);
      a1.intoArray(scores, so + p + COUNT);
      b0.intoArray(scores, so + CHUNK + p);
      b1.intoArray(scores, so + CHUNK + p + COUNT);
      c0.intoArray(scores, so + 2 * CHUNK + p);
      c1.intoArray(scores, so + 2 * CHUNK + p + COUNT);
      d0.intoArray(scores, so + 3 * CHUNK + p);
      d1.intoArray(scores, so + 3 * CHUNK + p + COUNT);
    }
  }

  @Override
  public void scores1(float[] q, int qo, int dims, float[] keys, float[] scores, int so) {
    for (int p = 0; p < SIZE; p += 2 * COUNT) {
      FloatVector a0 = FloatVector.zero(FLOATS);
      FloatVector a1 = a0;
      for (int d = 0; d < dims; d++) {
        FloatVector x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD]);
        a0 = FloatVector.fromArray(FLOATS, keys, d * SIZE + p).fma(x, a0);
        a1 = FloatVector.fromArray(FLOATS, keys, d * SIZE + p + COUNT).fma(x, a1);
      }
      a0.intoArray(scores, so + p);
      a1.intoArray(scores, so + p + COUNT);
    }
  }

  @Override
  public void cap(float[] x, int xo, int n, float cap) {
    arithmetic.softcap(x, xo, n, cap);
  }

  /**
   * By integers that are in the order of their floats: that is one instruction a vector, while
   * floats take several for the sake of NaN.
   */
  @Override
  public float max(float[] x, int xo, int n) {
    IntVector m = IntVector.broadcast(VectorWidth.INTS, Integer.MIN_VALUE);
    for (int i = xo; i < xo + n; i += COUNT) {
      IntVector bits = FloatVector.fromArray(FLOATS, x, i).reinterpretAsInts();
      m = m.max(bits.lanewise(XOR, bits.lanewise(ASHR, 31).lanewise(LSHR, 1)));
    }
    int bits = m.reduceLanes(MAX);
    return Float.intBitsToFloat(bits ^ (bits >> 31 >>> 1)) + 0f;
  }

  @Override
  public void softmaxWeights(
      float[] x, int xo, int n, float greatest, float factor, float[] sums, int so) {
    arithmetic.softmaxWeights(x, xo, n, greatest);
    for (int lane = 0; lane < PARTIALS; lane += COUNT) {
      FloatVector sum = FloatVector.fromArray(FLOATS, sums, so + lane).mul(factor);
      for (int i = lane; i < n; i += PARTIALS) {
        sum = sum.add(FloatVector.fromArray(FLOATS, x, xo + i));
      }
      sum.intoArray(sums, so + lane);
    }
  }

  @Override
  public void scale(float[] x, int xo, int n, float factor) {
    arithmetic.scale(x, xo, factor, n);
  }

  @Override
  public void outputs4(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo) {
    int d = 0;
    for (; d <= stride - 2 * COUNT; d += 2 * COUNT) {
      FloatVector a0 = FloatVector.fromArray(FLOATS, out, oo + d);
      FloatVector a1 = FloatVector.fromArray(FLOATS, out, oo + d + COUNT);
      FloatVector b0 = FloatVector.fromArray(FLOATS, out, oo + stride + d);
      FloatVector b1 = FloatVector.fromArray(FLOATS, out, oo + stride + d + COUNT);
      FloatVector c0 = FloatVector.fromArray(FLOATS, out, oo + 2 * stride + d);
      FloatVector c1 = FloatVector.fromArray(FLOATS, out, oo + 2 * stride + d + COUNT);
      FloatVector d0 = FloatVector.fromArray(FLOATS, out, oo + 3 * stride + d);
      FloatVector d1 = FloatVector.fromArray(FLOATS, out, oo + 3 * stride + d + COUNT);
      for (int p = 0; p < positions; p++) {
        FloatVector v0 = FloatVector.fromArray(FLOATS, values, p * stride + d);
        FloatVector v1 = FloatVector.fromArray(FLOATS, values, p * stride + d + COUNT);
        FloatVector x = FloatVector.broadcast(FLOATS, shares[po + p]);
        a0 = v0.fma(x, a0);
        a1 = v1.fma(x, a1);
        x = FloatVector.broadcast(FLOATS, shares[po + CHUNK + p]);
        b0 = v0.fma(x, b0);
        b1 = v1.fma(x, b1);
        x = FloatVector.broadcast(FLOATS, shares[po + 2 * CHUNK + p]);
        c0 = v0.fma(x, c0);
        c1 = v1.fma(x, c1);
        x = FloatVector.broadcast(FLOATS, shares[po + 3 * CHUNK + p]);
        d0 = v0.fma(x, d0);
        d1 = v1.fma(x, d1);
      }
      a0.intoArray(out, oo + d);
      a1.intoArray(out, oo + d + COUNT);
      b0.intoArray(out, oo + stride + d);
      b1.intoArray(out, oo + stride + d + COUNT);
      c0.intoArray(out, oo + 2 * stride + d);
      c1.intoArray(out, oo + 2 * stride + d + COUNT);
      d0.intoArray(out, oo + 3 * stride + d);
      d1.intoArray(out, oo + 3 * stride + d + COUNT);
    }
    for (int i = 0; i < QUAD && d < stride; i++) {
      tail(shares, po + i * CHUNK, positions, values, d, stride, out, oo + i * stride);
    }
  }

  @Override
  public void outputs1(
      float[] shares, int po, int positions, float[] values, int stride, float[] out, int oo) {
    int d = 0;
    for (; d <= stride - 2 * COUNT; d += 2 * COUNT) {
      FloatVector a0 = FloatVector.fromArray(FLOATS, out, oo + d);
      FloatVector a1 = FloatVector.fromArray(FLOATS, out, oo + d + COUNT);
      for (int p = 0; p < positions; p++) {
        FloatVector x = FloatVector.broadcast(FLOATS, shares[po + p]);
        a0 = FloatVector.fromArray(FLOATS, values, p * stride + d).fma(x, a0);
        a1 = FloatVector.fromArray(FLOATS, values, p * stride + d + COUNT).fma(x, a1);
      }
      a0.intoArray(out, oo + d);
      a1.intoArray(out, oo + d + COUNT);
    }
    tail(shares, po, positions, values, d, stride, out, oo);
  }

  @Override
  public void halfScores4(
      float[] q, int qo, int dims, MemorySegment from, long at, float[] scores, int so) {
    for (int p = 0; p < SIZE; p += 2 * COUNT) {
      FloatVector a0 = FloatVector.zero(FLOATS);
      FloatVector a1 = a0;
      FloatVector b0 = a0;
      FloatVector b1 = a0;
      FloatVector c0 = a0;
      FloatVector c1 = a0;
      FloatVector d0 = a0;
      FloatVector d1 = a0;
      for (int d = 0; d < dims; d++) {
        FloatVector k0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(
                            VectorWidth.HALVES, from, at + 2L * (d * SIZE + p), ORDER)
                        .convertShape(S2I, VectorWidth.INTS, 0))
                .lanewise(LSHL, 13)
                .and(HALF_BITS)
                .reinterpretAsFloats()
                .mul(HALF_BIAS);
        FloatVector k1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(
                            VectorWidth.HALVES, from, at + 2L * (d * SIZE + p + COUNT), ORDER)
                        .convertShape(S2I, VectorWidth.INTS, 0))
                .lanewise(LSHL, 13)
                .and(HALF_BITS)
                .reinterpretAsFloats()
                .mul(HALF_BIAS);
        FloatVector x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD]);
        a0 = k0.fma(x, a0);
        a1 = k1.fma(x, a1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 1]);
        b0 = k0.fma(x, b0);
        b1 = k1.fma(x, b1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 2]);
        c0 = k0.fma(x, c0);
        c1 = k1.fma(x, c1);
        x = FloatVector.broadcast(FLOATS, q[qo + d * QUAD + 3]);
        d0 = k0.fma(x, d0);
        d1 = k1.fma(x, d1);
      }
      a0.intoArray(scores, so + p);
      a1.intoArray(scores, so + p + COUNT);
      b0.intoArray(scores, so + CHUNK + p);
      b1.intoArray(scores, so + CHUNK + p + COUNT);
      c0.intoArray(scores, so + 2 * CHUNK + p);
      c1.intoArray(scores, so + 2 * CHUNK + p + COUNT);
      d0.intoArray(scores, so + 3 * CHUNK + p);
      d1.intoArray(scores, so + 3 * CHUNK + p + COUNT);
    }
  }

  @Override
  public void halfOutputs4(
      float[] shares,
      int po,
      int positions,
      MemorySegment from,
      long at,
      int stride,
      float[] out,
      int oo) {
    for (int d = 0; d < stride; d += 2 * COUNT) {
      FloatVector a0 = FloatVector.fromArray(FLOATS, out, oo + d);
      FloatVector a1 = FloatVector.fromArray(FLOATS, out, oo + d + COUNT);
      FloatVector b0 = FloatVector.fromArray(FLOATS, out, oo + stride + d);
      FloatVector b1 = FloatVector.fromArray(FLOATS, out, oo + stride + d + COUNT);
      FloatVector c0 = FloatVector.fromArray(FLOATS, out, oo + 2 * stride + d);
      FloatVector c1 = FloatVector.fromArray(FLOATS, out, oo + 2 * stride + d + COUNT);
      FloatVector d0 = FloatVector.fromArray(FLOATS, out, oo + 3 * stride + d);
      FloatVector d1 = FloatVector.fromArray(FLOATS, out, oo + 3 * stride + d + COUNT);
      for (int p = 0; p < positions; p++) {
        FloatVector v0 =
            ((IntVector)
                    ShortVector.fromMemorySegment(
                            VectorWidth.HALVES, from, at + 2L * (p * stride + d), ORDER)
                        .convertShape(S2I, VectorWidth.INTS, 0))
                .lanewise(LSHL, 13)
                .and(HALF_BITS)
                .reinterpretAsFloats()
                .mul(HALF_BIAS);
        FloatVector v1 =
            ((IntVector)
                    ShortVector.fromMemorySegment(
                            VectorWidth.HALVES, from, at + 2L * (p * stride + d + COUNT), ORDER)
                        .convertShape(S2I, VectorWidth.INTS, 0))
                .lanewise(LSHL, 13)
                .and(HALF_BITS)
                .reinterpretAsFloats()
                .mul(HALF_BIAS);
        FloatVector x = FloatVector.broadcast(FLOATS, shares[po + p]);
        a0 = v0.fma(x, a0);
        a1 = v1.fma(x, a1);
        x = FloatVector.broadcast(FLOATS, shares[po + CHUNK + p]);
        b0 = v0.fma(x, b0);
        b1 = v1.fma(x, b1);
        x = FloatVector.broadcast(FLOATS, shares[po + 2 * CHUNK + p]);
        c0 = v0.fma(x, c0);
        c1 = v1.fma(x, c1);
        x = FloatVector.broadcast(FLOATS, shares[po + 3 * CHUNK + p]);
        d0 = v0.fma(x, d0);
        d1 = v1.fma(x, d1);
      }
      a0.intoArray(out, oo + d);
      a1.intoArray(out, oo + d + COUNT);
      b0.intoArray(out, oo + stride + d);
      b1.intoArray(out, oo + stride + d + COUNT);
      c0.intoArray(out, oo + 2 * stride + d);
      c1.intoArray(out, oo + 2 * stride + d + COUNT);
      d0.intoArray(out, oo + 3 * stride + d);
      d1.intoArray(out, oo + 3 * stride + d + COUNT);
    }
  }

  /** What two vectors at a time leave of a query's output: at most one, of 16 lanes. */
  private static void tail(
      float[] shares,
      int po,
      int positions,
      float[] values,
      int from,
      int stride,
      float[] out,
      int oo) {
    for (int d = from; d < stride; d += COUNT) {
      FloatVector a = FloatVector.fromArray(FLOATS, out, oo + d);
      for (int p = 0; p < positions; p++) {
        FloatVector x = FloatVector.broadcast(FLOATS, shares[po + p]);
        a = FloatVector.fromArray(FLOATS, values, p * stride + d).fma(x, a);
      }
      a.intoArray(out, oo + d);
    }
  }
}
