package dev.millrace.engine.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RelativeErrorTest {
  @Test
  void errorIsRelativeToTheReference() {
    double[] reference = {3, 0, -4, 0};
    assertThat(RelativeError.of(new float[] {3, 0, -4, 0}, reference)).isZero();
    assertThat(RelativeError.of(new float[] {3, 0.5f, -4, 0}, reference))
        .isCloseTo(0.1, within(1e-12));
    assertThat(RelativeError.of(new float[] {0, 0, 0, 0}, reference)).isEqualTo(1);
  }

  @Test
  void nanIsNeverASmallError() {
    assertThat(RelativeError.of(new float[] {Float.NaN}, new double[] {1}) <= 1e9).isFalse();
    assertThat(RelativeError.of(new float[] {0}, new double[] {0}) <= 1e9).isFalse();
  }

  @Test
  void missingNumbersAreRejected() {
    assertThatThrownBy(() -> RelativeError.of(new float[2], new double[3]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RelativeError.of(new float[1][2], new double[2][2]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
