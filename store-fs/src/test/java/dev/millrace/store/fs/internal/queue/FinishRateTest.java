package dev.millrace.store.fs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FinishRateTest {
  private static final Instant START = Instant.parse("2026-03-01T08:00:00Z");

  private final FinishRate rate = new FinishRate();

  private static Instant at(long seconds) {
    return START.plusSeconds(seconds);
  }

  @Test
  void thereIsNoRateBeforeAMeasurement() {
    assertThat(rate.timeFor(1)).isNull();
  }

  @Test
  void jobsOneAfterAnotherTakeAsLongAsEachTook() {
    for (int i = 0; i < 10; i++) {
      rate.finished(at(i * 2L), at(i * 2L + 2));
    }
    assertThat(rate.timeFor(5)).isCloseTo(Duration.ofSeconds(10), Duration.ofMillis(10));
  }

  @Test
  void jobsSideBySideTakeTheirShare() {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 4; i++) {
        rate.finished(at(round * 8L), at(round * 8L + 8));
      }
    }
    assertThat(rate.timeFor(4)).isCloseTo(Duration.ofSeconds(8), Duration.ofMillis(400));
  }

  @Test
  void aNightWithoutWorkSaysNothingAboutTheMorning() {
    rate.finished(at(0), at(2));
    rate.finished(at(40_000), at(40_002));
    assertThat(rate.timeFor(1)).isCloseTo(Duration.ofSeconds(2), Duration.ofMillis(10));
  }

  @Test
  void oldSpeedsFade() {
    for (int i = 0; i < 100; i++) {
      rate.finished(at(i), at(i + 1));
    }
    for (int i = 0; i < 200; i++) {
      rate.finished(at(100 + i * 10L), at(110 + i * 10L));
    }
    assertThat(rate.timeFor(1)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
  }

  @Test
  void aClockThatRunsBackDoesNoHarm() {
    rate.finished(at(10), at(20));
    rate.finished(at(5), at(15));
    assertThat(rate.timeFor(2)).isEqualTo(Duration.ofSeconds(10));
  }
}
