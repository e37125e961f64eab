package dev.millrace.engine.internal.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.kernel.KernelChoice;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ArithmeticTest {
  private static final long SEED = 20260801;
  private static final float[] EXTREMES = {
    0f,
    -0f,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    88.7f,
    89f,
    -104f,
    -87f,
    1e-20f,
    -1e20f,
    7.99f,
    -4f
  };

  private final Arithmetic scalar = Arithmetic.of(KernelType.SCALAR);
  private final Arithmetic vector = Arithmetic.of(KernelType.VECTOR);
  private final Arithmetic nativeOne = Arithmetic.of(KernelChoice.of(KernelType.NATIVE));

  private interface Operation {
    void run(Arithmetic arithmetic, float[] x, int xo, float[] y, int n, float[] out);
  }

  private record Named(String name, Operation operation) {}

  private static final List<Named> OPERATIONS =
      List.of(
          new Named("rmsNorm", (a, x, xo, y, n, out) -> a.rmsNorm(x, xo, y, 1e-5f, n, out, 2)),
          new Named(
              "rmsNorm in place", (a, x, xo, y, n, out) -> a.rmsNorm(x, xo, y, 1e-6f, n, x, xo)),
          new Named(
              "layerNorm", (a, x, xo, y, n, out) -> a.layerNorm(x, xo, y, y, 1e-5f, n, out, 1)),
          new Named(
              "layerNorm without bias",
              (a, x, xo, y, n, out) -> a.layerNorm(x, xo, y, null, 1e-5f, n, out, 0)),
          new Named("add", (a, x, xo, y, n, out) -> a.add(x, xo, y, 0, n)),
          new Named("addScaled", (a, x, xo, y, n, out) -> a.addScaled(x, xo, y, 0, 0.37f, n)),
          new Named("multiply", (a, x, xo, y, n, out) -> a.multiply(x, xo, y, 0, n)),
          new Named("scale", (a, x, xo, y, n, out) -> a.scale(x, xo, 1.7f, n)),
          new Named("siluMul", (a, x, xo, y, n, out) -> a.siluMul(x, xo, y, 0, n)),
          new Named("geluTanhMul", (a, x, xo, y, n, out) -> a.geluTanhMul(x, xo, y, 0, n)),
          new Named("geluTanh", (a, x, xo, y, n, out) -> a.geluTanh(x, xo, n)),
          new Named("geluErf", (a, x, xo, y, n, out) -> a.geluErf(x, xo, n)),
          new Named("softcap", (a, x, xo, y, n, out) -> a.softcap(x, xo, n, 30f)),
          new Named("shares", (a, x, xo, y, n, out) -> a.softmaxWeights(x, xo, n, 9f)),
          new Named("softmax", (a, x, xo, y, n, out) -> a.softmax(x, xo, n)),
          new Named("max", (a, x, xo, y, n, out) -> out[0] = a.max(x, xo, n)));

  @Test
  void vectorsGiveTheBitsOfTheOracleAtEverySize() {
    IntStream sizes =
        IntStream.concat(
            IntStream.rangeClosed(1, 67), IntStream.of(80, 96, 127, 128, 576, 1000, 2048));
    sizes.forEach(n -> compareAll(n, 0));
  }

  @Test
  void vectorsGiveTheBitsOfTheOracleAmongExtremes() {
    for (int round = 0; round < 40; round++) {
      compareAll(16 + round, 1 + round % 5);
    }
  }

  private void compareAll(int n, int extremes) {
    Random random = new Random(SEED + 1000L * extremes + n);
    for (Named named : OPERATIONS) {
      int offset = random.nextInt(5);
      float[] x = row(random, n + 9, extremes);
      float[] y = row(random, n + 9, 0);
      float[] xs = x.clone();
      float[] outs = new float[n + 9];
      named.operation.run(scalar, xs, offset, y, n, outs);
      for (Arithmetic other : List.of(vector, nativeOne)) {
        float[] xv = x.clone();
        float[] outv = new float[n + 9];
        named.operation.run(other, xv, offset, y, n, outv);
        String description =
            "%s of %s, %d elements, %d extremes, seed %d"
                .formatted(named.name, other, n, extremes, SEED);
        assertThat(bits(xv)).as(description).isEqualTo(bits(xs));
        assertThat(bits(outv)).as(description).isEqualTo(bits(outs));
      }
    }
  }

  private static float[] row(Random random, int n, int extremes) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) (random.nextGaussian() * 3);
    }
    for (int i = 0; i < extremes; i++) {
      x[random.nextInt(n)] = EXTREMES[random.nextInt(EXTREMES.length)];
    }
    return x;
  }

  /** All NaNs are one: the CPU decides which operand's payload survives. */
  private static int[] bits(float[] x) {
    return IntStream.range(0, x.length).map(i -> Float.floatToIntBits(x[i])).toArray();
  }

  @Test
  void normsAgreeWithDoubles() {
    Random random = new Random(SEED);
    float[] x = row(random, 576, 0);
    float[] w = row(random, 576, 0);
    float[] rms = new float[576];
    float[] layer = new float[576];
    vector.rmsNorm(x, 0, w, 1e-5f, 576, rms, 0);
    vector.layerNorm(x, 0, w, w, 1e-5f, 576, layer, 0);
    double mean = IntStream.range(0, 576).mapToDouble(i -> x[i]).average().orElseThrow();
    double power =
        IntStream.range(0, 576).mapToDouble(i -> (double) x[i] * x[i]).average().orElseThrow();
    for (int i = 0; i < 576; i++) {
      assertThat((double) rms[i]).isCloseTo(x[i] / Math.sqrt(power + 1e-5) * w[i], offset(1e-5));
      assertThat((double) layer[i])
          .isCloseTo(
              (x[i] - mean) / Math.sqrt(power - mean * mean + 1e-5) * w[i] + w[i], offset(1e-5));
    }
  }

  @Test
  void softmaxSumsToOneAndKeepsTheOrder() {
    float[] x = {1, 3, 2, Float.NEGATIVE_INFINITY};
    vector.softmax(x, 0, 4);
    assertThat(x[0] + x[1] + x[2]).isCloseTo(1, offset(1e-6f));
    assertThat(x[1] / x[2]).isCloseTo((float) Math.E, offset(1e-5f));
    assertThat(x[3]).isZero();
  }

  @Test
  void softmaxOfNothingButMinusInfinityIsNaN() {
    float[] x = {Float.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY};
    vector.softmax(x, 0, 2);
    assertThat(x[0]).isNaN();
  }

  @Test
  void maxPassesOverNaN() {
    assertThat(vector.max(new float[] {Float.NaN, -3, -0f, Float.NaN}, 0, 4)).isEqualTo(0f);
    assertThat(vector.max(new float[] {Float.NaN}, 0, 1)).isEqualTo(Float.NEGATIVE_INFINITY);
  }
}
