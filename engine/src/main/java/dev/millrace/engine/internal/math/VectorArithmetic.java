package dev.millrace.engine.internal.math;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.MAX;

import dev.millrace.engine.internal.tensor.VectorWidth;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * The vector implementation for any width: whole vectors first, then the scalar reference for the
 * rest of a row. Kernels are flat: a function of vectors that was compiled by itself is not inlined
 * any more once it is large, and its vectors are then boxed.
 */
class VectorArithmetic implements Arithmetic {
  private static final VectorSpecies<Float> FLOATS = VectorWidth.FLOATS;
  private static final int COUNT = VectorWidth.COUNT;
  private static final int PARTIALS = ScalarArithmetic.PARTIALS;

  private final ScalarArithmetic rest = new ScalarArithmetic();

  @Override
  public void rmsNorm(float[] x, int xo, float[] weight, float eps, int n, float[] out, int oo) {
    float factor = ScalarArithmetic.inverseDeviation(squares(x, xo, n, 0), eps, n);
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i).mul(factor);
      v.mul(FloatVector.fromArray(FLOATS, weight, i)).intoArray(out, oo + i);
    }
    for (int i = whole; i < n; i++) {
      out[oo + i] = x[xo + i] * factor * weight[i];
    }
  }

  @Override
  public void layerNorm(
      float[] x,
      int xo,
      float[] weight,
      float @Nullable [] bias,
      float eps,
      int n,
      float[] out,
      int oo) {
    float mean = sum(x, xo, n) / n;
    float factor = ScalarArithmetic.inverseDeviation(squares(x, xo, n, mean), eps, n);
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector unit = FloatVector.fromArray(FLOATS, x, xo + i).sub(mean).mul(factor);
      FloatVector w = FloatVector.fromArray(FLOATS, weight, i);
      FloatVector y =
          bias == null ? unit.mul(w) : unit.fma(w, FloatVector.fromArray(FLOATS, bias, i));
      y.intoArray(out, oo + i);
    }
    for (int i = whole; i < n; i++) {
      float unit = (x[xo + i] - mean) * factor;
      out[oo + i] = bias == null ? unit * weight[i] : Math.fma(unit, weight[i], bias[i]);
    }
  }

  private static float sum(float[] x, int xo, int n) {
    return n % PARTIALS == 0 ? terms(x, xo, n, 0, 0, 1) : ScalarArithmetic.sum(x, xo, n, 0, 1);
  }

  private static float squares(float[] x, int xo, int n, float centre) {
    return n % PARTIALS == 0
        ? terms(x, xo, n, centre, 1, 0)
        : ScalarArithmetic.squares(x, xo, n, centre, 0, 1);
  }

  /**
   * The sum of d (square d + line) where d = x - centre: of squares with (1, 0), of the numbers
   * themselves with (0, 1); both roundless there, and one kernel instead of two. The 16 partial
   * sums are one, two or four vectors; COUNT is a constant, so only those exist. Rows that are not
   * whole sixteens are rare, and not worth masks.
   */
  private static float terms(float[] x, int xo, int n, float centre, float square, float line) {
    FloatVector squares = FloatVector.broadcast(FLOATS, square);
    FloatVector lines = FloatVector.broadcast(FLOATS, line);
    FloatVector a = FloatVector.zero(FLOATS);
    FloatVector b = FloatVector.zero(FLOATS);
    FloatVector c = FloatVector.zero(FLOATS);
    FloatVector d = FloatVector.zero(FLOATS);
    for (int i = 0; i < n; i += PARTIALS) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i).sub(centre);
      a = v.fma(v.fma(squares, lines), a);
      if (COUNT <= 8) {
        v = FloatVector.fromArray(FLOATS, x, xo + i + COUNT).sub(centre);
        b = v.fma(v.fma(squares, lines), b);
      }
      if (COUNT == 4) {
        v = FloatVector.fromArray(FLOATS, x, xo + i + 8).sub(centre);
        c = v.fma(v.fma(squares, lines), c);
        v = FloatVector.fromArray(FLOATS, x, xo + i + 12).sub(centre);
        d = v.fma(v.fma(squares, lines), d);
      }
    }
    if (COUNT == 16) {
      float even =
          ((a.lane(0) + a.lane(8)) + (a.lane(4) + a.lane(12)))
              + ((a.lane(2) + a.lane(10)) + (a.lane(6) + a.lane(14)));
      float odd =
          ((a.lane(1) + a.lane(9)) + (a.lane(5) + a.lane(13)))
              + ((a.lane(3) + a.lane(11)) + (a.lane(7) + a.lane(15)));
      return even + odd;
    }
    if (COUNT == 8) {
      a = a.add(b);
      return ((a.lane(0) + a.lane(4)) + (a.lane(2) + a.lane(6)))
          + ((a.lane(1) + a.lane(5)) + (a.lane(3) + a.lane(7)));
    }
    a = a.add(c).add(b.add(d));
    return (a.lane(0) + a.lane(2)) + (a.lane(1) + a.lane(3));
  }

  @Override
  public void add(float[] acc, int ao, float[] x, int xo, int n) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, acc, ao + i);
      v.add(FloatVector.fromArray(FLOATS, x, xo + i)).intoArray(acc, ao + i);
    }
    rest.add(acc, ao + whole, x, xo + whole, n - whole);
  }

  @Override
  public void addScaled(float[] acc, int ao, float[] x, int xo, float factor, int n) {
    int whole = FLOATS.loopBound(n);
    FloatVector f = FloatVector.broadcast(FLOATS, factor);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i);
      v.fma(f, FloatVector.fromArray(FLOATS, acc, ao + i)).intoArray(acc, ao + i);
    }
    rest.addScaled(acc, ao + whole, x, xo + whole, factor, n - whole);
  }

  @Override
  public void multiply(float[] acc, int ao, float[] x, int xo, int n) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, acc, ao + i);
      v.mul(FloatVector.fromArray(FLOATS, x, xo + i)).intoArray(acc, ao + i);
    }
    rest.multiply(acc, ao + whole, x, xo + whole, n - whole);
  }

  @Override
  public void scale(float[] x, int xo, float factor, int n) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector.fromArray(FLOATS, x, xo + i).mul(factor).intoArray(x, xo + i);
    }
    rest.scale(x, xo + whole, factor, n - whole);
  }

  @Override
  public void siluMul(float[] gate, int go, float[] up, int uo, int n) {
    gate(gate, go, n, SiluGelu.SILU_CUBE, SiluGelu.SILU_SLOPE);
    multiply(gate, go, up, uo, n);
  }

  @Override
  public void geluTanhMul(float[] gate, int go, float[] up, int uo, int n) {
    geluTanh(gate, go, n);
    multiply(gate, go, up, uo, n);
  }

  @Override
  public void geluTanh(float[] x, int xo, int n) {
    gate(x, xo, n, SiluGelu.GELU_CUBE, SiluGelu.GELU_SLOPE);
  }

  /** {@link SiluGelu#of}, with {@link FloatExp#of} in it. */
  private static void gate(float[] x, int xo, int n, float cube, float slope) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i);
      FloatVector c = v.mul(cube).mul(v).fma(v, v).mul(slope);
      c = c.blend(FloatExp.HIGHEST, c.compare(GT, FloatExp.HIGHEST));
      c = c.blend(FloatExp.LOWEST, c.compare(LT, FloatExp.LOWEST));
      FloatVector shifted =
          c.fma(
              FloatVector.broadcast(FLOATS, FloatExp.LOG2_E),
              FloatVector.broadcast(FLOATS, FloatExp.ROUNDER));
      FloatVector k = shifted.sub(FloatVector.broadcast(FLOATS, FloatExp.ROUNDER));
      FloatVector r = k.fma(FloatVector.broadcast(FLOATS, -FloatExp.LN2_HIGH), c);
      r = k.fma(FloatVector.broadcast(FLOATS, -FloatExp.LN2_LOW), r);
      FloatVector p =
          r.fma(
              FloatVector.broadcast(FLOATS, FloatExp.C7),
              FloatVector.broadcast(FLOATS, FloatExp.C6));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C5));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C4));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C3));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C2));
      p = p.fma(r.mul(r), r).add(1);
      IntVector exponent = shifted.reinterpretAsInts().sub(FloatExp.ROUNDER_BITS);
      IntVector half = exponent.lanewise(ASHR, 1);
      p = p.mul(half.add(127).lanewise(LSHL, 23).reinterpretAsFloats());
      p = p.mul(exponent.sub(half).add(127).lanewise(LSHL, 23).reinterpretAsFloats());
      v.div(p.add(1)).intoArray(x, xo + i);
    }
    ScalarArithmetic.gate(x, xo + whole, n - whole, cube, slope);
  }

  /** {@link Erf#of} in it. */
  @Override
  public void geluErf(float[] x, int xo, int n) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i);
      FloatVector t = v.mul(ScalarArithmetic.ROOT_HALF);
      t = t.blend(Erf.FAR, t.compare(GT, Erf.FAR));
      t = t.blend(-Erf.FAR, t.compare(LT, -Erf.FAR));
      FloatVector s = t.mul(t);
      FloatVector p =
          s.fma(FloatVector.broadcast(FLOATS, Erf.A13), FloatVector.broadcast(FLOATS, Erf.A11));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Erf.A9));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Erf.A7));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Erf.A5));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Erf.A3));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Erf.A1));
      FloatVector q =
          s.fma(FloatVector.broadcast(FLOATS, Erf.B8), FloatVector.broadcast(FLOATS, Erf.B6));
      q = q.fma(s, FloatVector.broadcast(FLOATS, Erf.B4));
      q = q.fma(s, FloatVector.broadcast(FLOATS, Erf.B2));
      q = q.fma(s, FloatVector.broadcast(FLOATS, Erf.B0));
      v.mul(0.5f).mul(p.div(q).mul(t).add(1)).intoArray(x, xo + i);
    }
    rest.geluErf(x, xo + whole, n - whole);
  }

  /** {@link Tanh#of} in it. */
  @Override
  public void softcap(float[] x, int xo, int n, float cap) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector t = FloatVector.fromArray(FLOATS, x, xo + i).div(cap);
      t = t.blend(Tanh.FAR, t.compare(GT, Tanh.FAR));
      t = t.blend(-Tanh.FAR, t.compare(LT, -Tanh.FAR));
      FloatVector s = t.mul(t);
      FloatVector p =
          s.fma(FloatVector.broadcast(FLOATS, Tanh.A13), FloatVector.broadcast(FLOATS, Tanh.A11));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Tanh.A9));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Tanh.A7));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Tanh.A5));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Tanh.A3));
      p = p.fma(s, FloatVector.broadcast(FLOATS, Tanh.A1));
      FloatVector q =
          s.fma(FloatVector.broadcast(FLOATS, Tanh.B6), FloatVector.broadcast(FLOATS, Tanh.B4));
      q = q.fma(s, FloatVector.broadcast(FLOATS, Tanh.B2));
      q = q.fma(s, FloatVector.broadcast(FLOATS, Tanh.B0));
      p.div(q).mul(t).mul(cap).intoArray(x, xo + i);
    }
    rest.softcap(x, xo + whole, n - whole, cap);
  }

  @Override
  public void softmax(float[] x, int xo, int n) {
    softmaxWeights(x, xo, n, max(x, xo, n));
    float sum = sum(x, xo, n);
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector.fromArray(FLOATS, x, xo + i).div(sum).intoArray(x, xo + i);
    }
    for (int i = whole; i < n; i++) {
      x[xo + i] /= sum;
    }
  }

  @Override
  public void softmaxWeights(float[] x, int xo, int n, float greatest) {
    int whole = FLOATS.loopBound(n);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector c = FloatVector.fromArray(FLOATS, x, xo + i).sub(greatest);
      FloatVector shifted =
          c.fma(
              FloatVector.broadcast(FLOATS, FloatExp.LOG2_E),
              FloatVector.broadcast(FLOATS, FloatExp.ROUNDER));
      FloatVector k = shifted.sub(FloatVector.broadcast(FLOATS, FloatExp.ROUNDER));
      FloatVector r = k.fma(FloatVector.broadcast(FLOATS, -FloatExp.LN2_HIGH), c);
      r = k.fma(FloatVector.broadcast(FLOATS, -FloatExp.LN2_LOW), r);
      FloatVector p =
          r.fma(
              FloatVector.broadcast(FLOATS, FloatExp.C7),
              FloatVector.broadcast(FLOATS, FloatExp.C6));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C5));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C4));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C3));
      p = p.fma(r, FloatVector.broadcast(FLOATS, FloatExp.C2));
      p = p.fma(r.mul(r), r).add(1);
      IntVector power = shifted.reinterpretAsInts().lanewise(LSHL, 23).add(FloatExp.ONE_BITS);
      p.mul(power.reinterpretAsFloats())
          .blend(0, c.compare(LT, FloatExp.SMALLEST))
          .intoArray(x, xo + i);
    }
    rest.softmaxWeights(x, xo + whole, n - whole, greatest);
  }

  @Override
  public float max(float[] x, int xo, int n) {
    int whole = FLOATS.loopBound(n);
    FloatVector m = FloatVector.broadcast(FLOATS, Float.NEGATIVE_INFINITY);
    for (int i = 0; i < whole; i += COUNT) {
      FloatVector v = FloatVector.fromArray(FLOATS, x, xo + i);
      m = m.blend(v, v.compare(GT, m));
    }
    float max = m.reduceLanes(MAX); // exact, whatever the order; m holds no NaN
    float last = rest.max(x, xo + whole, n - whole);
    return (last > max ? last : max) + 0f;
  }
}
