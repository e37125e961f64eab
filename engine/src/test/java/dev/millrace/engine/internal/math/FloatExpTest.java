package dev.millrace.engine.internal.math;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

final class FloatExpTest {
  /** A prime: so that low bits vary. Every float is tried in the proof. */
  private static final int STEP = Boolean.getBoolean("millrace.proof") ? 1 : 4099;

  private interface Function {
    float of(float x);
  }

  @Test
  void expIsWithinOneUlpOfStrictMath() {
    assertThat(worst(FloatExp::of, StrictMath::exp, -110, 95)).isLessThanOrEqualTo(1);
  }

  @Test
  void shareIsWithinOneUlpDownToWhereItIsZero() {
    assertThat(worst(FloatExp::share, StrictMath::exp, -87, 0)).isLessThanOrEqualTo(1);
    assertThat(FloatExp.share(-87.00001f)).isZero();
    assertThat(FloatExp.share(Float.NEGATIVE_INFINITY)).isZero();
    assertThat(FloatExp.share(-Float.MAX_VALUE)).isZero();
    assertThat(FloatExp.share(0)).isEqualTo(1);
    assertThat(FloatExp.share(Float.intBitsToFloat(0x7f800123))).isNaN();
  }

  @Test
  void tanhIsWithinSixUlp() {
    assertThat(worst(Tanh::of, StrictMath::tanh, -100, 100)).isLessThanOrEqualTo(6);
  }

  @Test
  void erfIsWithinSixUlp() {
    assertThat(worst(Erf::of, FloatExpTest::erf, -100, 100)).isLessThanOrEqualTo(6);
  }

  @Test
  void geluLosesNothingInItsTail() {
    DoubleUnaryOperator exact =
        x ->
            x
                / (1
                    + StrictMath.exp(
                        -2 * StrictMath.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    Function gelu = x -> SiluGelu.of(x, SiluGelu.GELU_CUBE, SiluGelu.GELU_SLOPE);
    for (float x = -5; x < 8; x += 0.001f) {
      assertThat((double) gelu.of(x))
          .as("gelu(%s)", x)
          .isCloseTo(
              exact.applyAsDouble(x),
              org.assertj.core.data.Offset.offset(3e-6 * Math.abs(exact.applyAsDouble(x)) + 1e-30));
    }
  }

  @Test
  void endsOfTheRangeAreDefined() {
    assertThat(FloatExp.of(Float.NEGATIVE_INFINITY)).isZero();
    assertThat(FloatExp.of(-Float.MAX_VALUE)).isZero();
    assertThat(FloatExp.of(-104)).isZero();
    assertThat(FloatExp.of(-103)).isEqualTo(Float.MIN_VALUE);
    assertThat(FloatExp.of(0)).isEqualTo(1);
    assertThat(FloatExp.of(-0f)).isEqualTo(1);
    assertThat(FloatExp.of(88.72284f)).isInfinite();
    assertThat(FloatExp.of(88.722f)).isFinite();
    assertThat(FloatExp.of(Float.POSITIVE_INFINITY)).isInfinite();
    assertThat(FloatExp.of(Float.NaN)).isNaN();
    assertThat(Tanh.of(Float.NaN)).isNaN();
    assertThat(Erf.of(Float.NaN)).isNaN();
    assertThat(Tanh.of(Float.NEGATIVE_INFINITY))
        .isCloseTo(-1, org.assertj.core.data.Offset.offset(1e-6f));
  }

  private static double worst(Function f, DoubleUnaryOperator exact, double from, double to) {
    double worst = 0;
    for (long bits = 0; bits < 1L << 32; bits += STEP) {
      float x = Float.intBitsToFloat((int) bits);
      if (x >= from && x <= to) {
        double right = exact.applyAsDouble(x);
        float rounded = (float) right;
        float got = f.of(x);
        if (Float.isInfinite(rounded) || Float.isInfinite(got)) {
          assertThat(
                  Math.abs(got - (double) rounded) <= Math.ulp(Float.MAX_VALUE) || got == rounded)
              .as("at %s", x)
              .isTrue();
        } else {
          worst = Math.max(worst, Math.abs(got - right) / Math.ulp(rounded));
        }
      }
    }
    return worst;
  }

  /** exp(-x²) 2/sqrt(pi) times the sum of 2^n x^(2n+1) / (2n+1)!!: all terms have one sign. */
  private static double erf(double x) {
    if (Math.abs(x) > 6) {
      return Math.signum(x);
    }
    double term = x;
    double sum = x;
    for (int n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return 2 / Math.sqrt(Math.PI) * StrictMath.exp(-x * x) * sum;
  }
}
