package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class SpeedTest {
  private final Speed speed = new Speed();
  private long now;

  @Test
  void trialTakesAFifthOfASecondAndClosesItsCut() {
    FakeWeights weights = new FakeWeights(0, 4);
    speed.measure(weights, () -> now += TimeUnit.MILLISECONDS.toNanos(10));
    assertThat(now).isLessThan(TimeUnit.MILLISECONDS.toNanos(300));
    assertThat(speed.bytesPerSecond()).as("400 bytes in 10 ms").isEqualTo(40_000);
    assertThat(weights.open).isZero();
    assertThat(weights.opened).isEqualTo(1);
  }

  @Test
  void slowLayersAreTriedThreeTimes() {
    int[] looks = {0};
    speed.measure(
        new FakeWeights(0, 4),
        () -> {
          looks[0]++;
          return now += TimeUnit.SECONDS.toNanos(1);
        });
    assertThat(looks[0]).isLessThan(12);
    assertThat(speed.bytesPerSecond()).isEqualTo(400);
  }

  @Test
  void realStepsMoveItSlowly() {
    speed.passed(1000, TimeUnit.SECONDS.toNanos(1));
    assertThat(speed.bytesPerSecond()).isEqualTo(1000);
    speed.passed(1000, TimeUnit.SECONDS.toNanos(2));
    assertThat(speed.bytesPerSecond()).isBetween(900.0, 999.0);
    for (int i = 0; i < 200; i++) {
      speed.passed(1000, TimeUnit.SECONDS.toNanos(2));
    }
    assertThat(speed.bytesPerSecond()).isCloseTo(500, Offset.offset(1.0));
  }

  @Test
  void othersAreToldTwoDigits() {
    assertThat(speed.rounded()).isZero();
    speed.passed(123_456, TimeUnit.SECONDS.toNanos(1));
    assertThat(speed.rounded()).isEqualTo(120_000);
  }
}
