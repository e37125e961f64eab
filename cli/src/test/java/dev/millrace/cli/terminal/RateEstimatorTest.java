package dev.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateEstimatorTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private static void sample(RateEstimator rate, double seconds, long count) {
    rate.sample((long) (seconds * SECOND), count);
  }

  @Test
  void theRateOfTokensIsThatOfTheLastSeconds() {
    RateEstimator tokens = RateEstimator.ofTokens();
    for (int t = 0; t <= 100; t++) {
      sample(tokens, t, t < 50 ? t : 50 + (t - 50) * 10);
    }
    assertThat(tokens.perSecond()).isBetween(9.9, 10.1);
  }

  @Test
  void workOfAnEarlierRunIsNoSpeed() {
    RateEstimator tokens = RateEstimator.ofTokens();
    sample(tokens, 0, 1_000_000);
    assertThat(tokens.perSecond()).isZero();
    sample(tokens, 1, 1_000_000);
    sample(tokens, 2, 1_000_020);
    sample(tokens, 3, 1_000_040);
    assertThat(tokens.perSecond()).isEqualTo(20);
  }

  @Test
  void timeUntilTheFirstTokenIsNoPartOfTheSpeed() {
    RateEstimator tokens = RateEstimator.ofTokens();
    for (int t = 0; t <= 3; t++) {
      sample(tokens, t, 0); // a model loads
    }
    sample(tokens, 4, 20);
    sample(tokens, 5, 40);
    assertThat(tokens.perSecond()).isEqualTo(20);
  }

  @Test
  void nothingIsReportedOnceTheTokensStop() {
    RateEstimator tokens = RateEstimator.ofTokens();
    for (int t = 0; t <= 20; t++) {
      sample(tokens, t, 10L * t);
    }
    assertThat(tokens.perSecond()).isBetween(9.9, 10.1);
    sample(tokens, 26, 200);
    assertThat(tokens.perSecond()).isZero();
    sample(tokens, 3_600, 200);
    sample(tokens, 3_601, 205);
    sample(tokens, 3_602, 210);
    assertThat(tokens.perSecond()).as("the pause is no part of the speed").isEqualTo(5);
  }

  @Test
  void aCountThatFallsStartsAnew() {
    RateEstimator tokens = RateEstimator.ofTokens();
    sample(tokens, 0, 0);
    sample(tokens, 1, 100);
    sample(tokens, 2, 10);
    assertThat(tokens.perSecond()).isZero();
  }

  @Test
  void slowTasksHaveARateOnceAFewHaveEnded() {
    RateEstimator tasks = RateEstimator.ofTasks();
    for (int t = 0; t < 300; t++) {
      sample(tasks, t, t / 100);
      assertThat(tasks.perSecond()).as("after %d s", t).isZero();
    }
    for (int t = 300; t <= 420; t++) {
      sample(tasks, t, t / 100);
    }
    assertThat(tasks.perSecond()).isBetween(0.007, 0.011);
    assertThat(ProgressBar.rate(tasks.perSecond(), "")).endsWith("/min");
  }

  @Test
  void tasksThatNoLongerEndHaveNoRate() {
    RateEstimator tasks = RateEstimator.ofTasks();
    for (int t = 0; t <= 60; t++) {
      sample(tasks, t, t);
    }
    assertThat(tasks.perSecond()).isBetween(0.9, 1.1);
    sample(tasks, 89, 60);
    assertThat(tasks.perSecond()).isPositive();
    sample(tasks, 91, 60);
    assertThat(tasks.perSecond()).isZero();
  }

  @Test
  void aSpeedThatChangesMuchIsNoneToLookAheadWith() {
    RateEstimator tokens = RateEstimator.ofTokens();
    for (int t = 0; t <= 5; t++) {
      sample(tokens, t, 20L * t); // a slow start
      assertThat(tokens.steadyPerSecond()).isEqualTo(t < 3 ? 0 : 20);
    }
    sample(tokens, 6, 700);
    assertThat(tokens.perSecond()).isPositive();
    assertThat(tokens.steadyPerSecond()).isZero();
    for (int t = 7; t <= 20; t++) {
      sample(tokens, t, 700 + 200L * (t - 6));
    }
    assertThat(tokens.steadyPerSecond()).isEqualTo(200);
  }
}
