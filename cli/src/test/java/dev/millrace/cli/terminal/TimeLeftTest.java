package dev.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeLeftTest {
  private static final long UNKNOWN = -1;

  private static String text(TimeLeft.Tokens tokens, double perSecond) {
    return TimeLeft.text(TimeLeft.of(tokens, perSecond));
  }

  @Test
  void withoutAPresentRateThereIsNone() {
    assertThat(TimeLeft.of(10, 0, false)).isNull();
    assertThat(text(new TimeLeft.Tokens(10, 100, 1_000, 0, 500), 0)).isEmpty();
  }

  @Test
  void beforeTheFirstTaskHasEndedItIsAnUpperBound() {
    assertThat(text(new TimeLeft.Tokens(10, 0, 0, 0, 1_000), 20)).isEqualTo(", at most 50 s left");
    assertThat(text(new TimeLeft.Tokens(10, 0, 0, 400, 1_000), 20))
        .as("what runs has generated a part")
        .isEqualTo(", at most 30 s left");
    assertThat(text(new TimeLeft.Tokens(10, 0, 0, 400, UNKNOWN), 20)).isEmpty();
  }

  @Test
  void theMeanOfAFewIsBelievedOnlyIfTheBoundIsNotFarOff() {
    assertThat(text(new TimeLeft.Tokens(10, 1, 60, 0, 1_000), 20)).isEqualTo(", at most 50 s left");
    assertThat(text(new TimeLeft.Tokens(10, 1, 30, 0, 1_000), 20)).isEmpty();
    assertThat(text(new TimeLeft.Tokens(10, 2, 60, 0, UNKNOWN), 20)).isEmpty();
  }

  @Test
  void afterThatItIsTheMean() {
    assertThat(text(new TimeLeft.Tokens(10, 3, 180, 100, 10_000), 20)).isEqualTo(", 25 s left");
    assertThat(text(new TimeLeft.Tokens(10, 3, 180, 100, 300), 20))
        .as("not more than they can have")
        .isEqualTo(", 10 s left");
    assertThat(text(new TimeLeft.Tokens(2, 3, 180, 500, UNKNOWN), 20))
        .as("those that run are not like the others")
        .isEmpty();
  }

  @Test
  void anAbsurdTimeIsNone() {
    assertThat(TimeLeft.of(10 * 86_400, 1, false))
        .isEqualTo(new TimeLeft(Duration.ofDays(10), false));
    assertThat(TimeLeft.of(10 * 86_400 + 1, 1, false)).isNull();
    assertThat(TimeLeft.of(5, Double.MIN_VALUE, true)).isNull();
  }
}
