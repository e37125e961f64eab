package dev.millrace.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void waitsGrowByTheFactorUpToTheirLimit() {
    Backoff backoff = new Backoff(SECOND, 2.0, Duration.ofSeconds(10), 0.0);
    long[] seconds = {1, 2, 4, 8, 10, 10};
    for (int i = 0; i < seconds.length; i++) {
      assertThat(backoff.delay(i + 1, 0.5)).isEqualTo(Duration.ofSeconds(seconds[i]));
    }
    assertThat(backoff.delay(1_000, 0.999)).isEqualTo(Duration.ofSeconds(10));
    assertThat(backoff.longest()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void jitterSpreadsAWaitOverItsBand() {
    Backoff backoff = new Backoff(SECOND, 2.0, Duration.ofSeconds(60), 0.25);
    assertThat(backoff.delay(1, 0.0)).isEqualTo(Duration.ofMillis(750));
    assertThat(backoff.delay(1, 0.5)).isEqualTo(SECOND);
    assertThat(backoff.delay(1, Math.nextDown(1.0))).isEqualTo(Duration.ofMillis(1_250));
    assertThat(backoff.delay(3, 0.0)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void noWaitIsNegativeOrLongerThanTheLongest() {
    long seed = 20260301;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      Duration base = Duration.ofMillis(random.nextLong(100_000));
      Backoff backoff =
          new Backoff(
              base,
              1.0 + random.nextDouble() * 99,
              base.plusMillis(random.nextLong(1 << 30)),
              random.nextDouble());
      Duration delay = backoff.delay(1 + random.nextInt(1_000), random.nextDouble());
      assertThat(delay)
          .as("seed %s, %s", seed, backoff)
          .isBetween(Duration.ZERO, backoff.longest());
    }
  }

  @Test
  void extremesDoNotOverflow() {
    Backoff longest = new Backoff(TaskPolicy.LONGEST, 100.0, TaskPolicy.LONGEST, 1.0);
    assertThat(longest.delay(1_000, Math.nextDown(1.0)))
        .isEqualTo(TaskPolicy.LONGEST.multipliedBy(2))
        .isEqualTo(longest.longest());
    Backoff none = new Backoff(Duration.ZERO, 100.0, Duration.ZERO, 1.0);
    assertThat(none.delay(1_000, 0.9)).isEqualTo(Duration.ZERO);
  }

  @Test
  void invalidBackoffsAreRefused() {
    assertRefused(SECOND.negated(), 2.0, SECOND, 0.0, "0 <= base <= max");
    assertRefused(SECOND, 2.0, Duration.ofMillis(999), 0.0, "0 <= base <= max");
    assertRefused(
        SECOND, 2.0, TaskPolicy.LONGEST.plusMillis(1), 0.0, "max must be at most 3650 days");
    assertRefused(SECOND, 2.0, Duration.ofSeconds(Long.MAX_VALUE), 0.0, "max must be at most");
    assertRefused(SECOND, 0.9, SECOND, 0.0, "factor must be 1 to 100");
    assertRefused(SECOND, 100.1, SECOND, 0.0, "factor must be 1 to 100");
    assertRefused(SECOND, Double.NaN, SECOND, 0.0, "factor must be 1 to 100");
    assertRefused(SECOND, 2.0, SECOND, -0.1, "jitter must be 0 to 1");
    assertRefused(SECOND, 2.0, SECOND, 1.1, "jitter must be 0 to 1");
    assertRefused(SECOND, 2.0, SECOND, Double.NaN, "jitter must be 0 to 1");
  }

  private static void assertRefused(
      Duration base, double factor, Duration max, double jitter, String rule) {
    assertThatThrownBy(() -> new Backoff(base, factor, max, jitter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("backoff: ")
        .hasMessageContaining(rule);
  }

  @Test
  void aPolicyHasItsLimitsToo() {
    assertPolicyRefused(0, SECOND, SECOND, 3, "maxAttempts must be 1 to 1000, got 0");
    assertPolicyRefused(1_001, SECOND, SECOND, 3, "maxAttempts must be 1 to 1000, got 1001");
    assertPolicyRefused(1, SECOND, SECOND, -1, "recoveryCeiling must be 0 to 1000, got -1");
    assertPolicyRefused(1, SECOND, SECOND, 1_001, "recoveryCeiling must be 0 to 1000, got 1001");
    assertPolicyRefused(
        1, Duration.ZERO, SECOND, 3, "queueTimeout must be longer than 0, got PT0S");
    assertPolicyRefused(
        1, SECOND, SECOND.negated(), 3, "runTimeout must be longer than 0, got PT-1S");
    assertPolicyRefused(
        1,
        SECOND,
        TaskPolicy.LONGEST.plusSeconds(1),
        3,
        "runTimeout must be at most 3650 days, got PT87600H1S");
    assertThat(TaskPolicy.DEFAULT.hasTimeouts()).isFalse();
    assertThat(new TaskPolicy(1, Backoff.DEFAULT, null, SECOND, 3).hasTimeouts()).isTrue();
  }

  private static void assertPolicyRefused(
      int attempts, Duration queue, Duration run, int ceiling, String message) {
    assertThatThrownBy(() -> new TaskPolicy(attempts, Backoff.DEFAULT, queue, run, ceiling))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
