package dev.millrace.engine.internal.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SinCosTest {
  private static final long SEED = 3;

  private static void check(double angle) {
    assertThat(SinCos.sin(angle))
        .as("sine of %s", angle)
        .isCloseTo(StrictMath.sin(angle), offset(2.3e-16));
    assertThat(SinCos.cos(angle))
        .as("cosine of %s", angle)
        .isCloseTo(StrictMath.cos(angle), offset(2.3e-16));
  }

  @Test
  void sineAndCosineAreThoseOfStrictMathWithinAnUlp() {
    Random random = new Random(SEED);
    for (double most = 1e-9; most < 0x1p31; most *= 3) {
      for (int i = 0; i < 2000; i++) {
        check((random.nextDouble() * 2 - 1) * most);
      }
    }
  }

  @Test
  void multiplesOfAQuarterTurnKeepTheirDigits() {
    for (int i = -100_000; i < 100_000; i += 7) {
      check(i * (Math.PI / 4));
      double near = i * (Math.PI / 2);
      double exact = i % 2 == 0 ? StrictMath.sin(near) : StrictMath.cos(near);
      double ours = i % 2 == 0 ? SinCos.sin(near) : SinCos.cos(near);
      assertThat(ours).as("near %d quarters", i).isCloseTo(exact, offset(1e-26));
    }
  }
}
