package dev.millrace.store.fs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FinishRateTest {
  private static final Instant START = Instant.parse("2026-03-01T08:00:00Z");

  private final FinishRate rate = new FinishRate(START);

  /** Just after the last job ended. */
  private Duration timeFor(int many, long now) {
    return rate.timeFor(many, at(now));
  }

  private static Instant at(long seconds) {
    return START.plusSeconds(seconds);
  }

  @Test
  void thereIsNoRateBeforeAMeasurement() {
    assertThat(timeFor(1, 0)).isNull();
  }

  @Test
  void jobsOneAfterAnotherTakeAsLongAsEachTook() {
    for (int i = 0; i < 10; i++) {
      rate.finished(at(i * 2L), at(i * 2L + 2));
    }
    assertThat(timeFor(5, 20)).isCloseTo(Duration.ofSeconds(10), Duration.ofMillis(10));
  }

  @Test
  void jobsSideBySideTakeTheirShare() {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 4; i++) {
        rate.finished(at(round * 8L), at(round * 8L + 8));
      }
    }
    assertThat(timeFor(4, 40)).isCloseTo(Duration.ofSeconds(8), Duration.ofMillis(400));
  }

  @Test
  void aNightWithoutWorkSaysNothingAboutTheMorning() {
    rate.finished(at(0), at(2));
    rate.finished(at(40_000), at(40_002));
    assertThat(timeFor(1, 40_002)).isCloseTo(Duration.ofSeconds(2), Duration.ofMillis(10));
  }

  @Test
  void oldSpeedsFade() {
    for (int i = 0; i < 100; i++) {
      rate.finished(at(i), at(i + 1));
    }
    for (int i = 0; i < 200; i++) {
      rate.finished(at(100 + i * 10L), at(110 + i * 10L));
    }
    assertThat(timeFor(1, 2_100)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
  }

  @Test
  void aClockThatRunsBackDoesNoHarm() {
    rate.finished(at(10), at(20));
    rate.finished(at(5), at(15));
    assertThat(timeFor(2, 20)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void timeBeforeTheOwnerOpenedTheWorkspaceIsNoPartOfTheSpeed() {
    rate.finished(at(-80_000), at(4)); // begun by an owner of yesterday
    assertThat(timeFor(2, 4)).isEqualTo(Duration.ofSeconds(8));
  }

  @Test
  void anIdleOrStuckServerHasNoSpeed() {
    rate.finished(at(0), at(2));
    assertThat(timeFor(1, 12)).isEqualTo(Duration.ofSeconds(2));
    assertThat(timeFor(1, 13)).isNull();
    rate.finished(at(100), at(200));
    assertThat(timeFor(1, 300)).isNotNull();
    assertThat(timeFor(1, 20_000)).isNull();
  }

  @Test
  void anAbsurdTimeIsNotShown() {
    rate.finished(at(0), at(1_000));
    assertThat(timeFor(864, 1_000)).isEqualTo(Duration.ofDays(10));
    assertThat(timeFor(865, 1_000)).isNull();
  }
}
