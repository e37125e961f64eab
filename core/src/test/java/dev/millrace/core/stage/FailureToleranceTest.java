package dev.millrace.core.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureToleranceTest {

  @Test
  void byDefaultOneFailureIsTooMany() {
    assertThat(FailureTolerance.NONE.exceeded(0, 10)).isFalse();
    assertThat(FailureTolerance.NONE.exceeded(1, 10)).isTrue();
    assertThat(FailureTolerance.NONE.exceeded(0, 0)).isFalse();
  }

  @Test
  void allTasksMayFailIfAllFailuresAreTolerated() {
    assertThat(FailureTolerance.ALL.exceeded(10, 10)).isFalse();
    assertThat(FailureTolerance.ALL.exceeded(0, 0)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0.0, 10, 0",
    "0.5, 2, 1",
    "0.5, 3, 1",
    "0.1, 10, 1",
    "0.3, 10, 3",
    "0.7, 10, 7",
    "0.29, 100, 29",
    "0.58, 100, 58",
    "0.999, 1000, 999",
    "0.333333, 3, 0",
    "0.1, 200000, 20000",
    "0.05, 10, 0"
  })
  void aShareIsRoundedDownToWholeTasks(double share, int total, int most) {
    FailureTolerance tolerance = new FailureTolerance(true, share);
    assertThat(tolerance.exceeded(most, total)).isFalse();
    assertThat(tolerance.exceeded(most + 1, total)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.01, 1.01, Double.NaN, Double.POSITIVE_INFINITY})
  void aShareOutsideZeroToOneIsRefused(double share) {
    assertThatThrownBy(() -> new FailureTolerance(true, share))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tolerate must be 0 to 1, got " + share);
  }
}
