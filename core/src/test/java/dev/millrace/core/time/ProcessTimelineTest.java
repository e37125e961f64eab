package dev.millrace.core.time;

import static dev.millrace.core.store.fixture.ManualClock.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.fixture.ManualClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steady time, and what it says of logged wall times, while the wall clock is set. */
class ProcessTimelineTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock();
  private final ProcessTimeline timeline = new ProcessTimeline(clock);

  private Instant steady() {
    return timeline.now().steady();
  }

  @Test
  void whileNobodySetsTheClockBothTimesAreTheSame() {
    clock.advance(HOUR);
    assertThat(timeline.now()).isEqualTo(Moment.of(START.plus(HOUR)));
    for (Instant logged : new Instant[] {START.minus(HOUR), START, START.plus(MINUTE)}) {
      assertThat(timeline.submitted(logged)).isEqualTo(logged);
      assertThat(timeline.written(logged)).isEqualTo(logged);
    }
  }

  @Test
  void onlyPassingTimeMovesSteadyTime() {
    clock.jump(HOUR.multipliedBy(9_000));
    assertThat(timeline.now()).isEqualTo(new Moment(START.plus(HOUR.multipliedBy(9_000)), START));
    clock.jump(HOUR.multipliedBy(-20_000));
    clock.advance(MINUTE);
    assertThat(steady()).isEqualTo(START.plus(MINUTE));
  }

  @Test
  void nothingWasLoggedInTheFuture() {
    clock.advance(MINUTE);
    assertThat(timeline.submitted(START.plus(HOUR))).isEqualTo(steady());
    assertThat(timeline.written(START.plus(HOUR))).isEqualTo(steady());
  }

  @Test
  void aJobFromTheFutureWasSubmittedWhenItWasFirstRead() {
    Instant logged = START.plus(HOUR);
    clock.advance(MINUTE);
    Instant first = steady();
    assertThat(timeline.of("a").submitted(logged)).isEqualTo(first);
    clock.advance(MINUTE);
    assertThat(timeline.of("a").submitted(logged)).as("read again").isEqualTo(first);
    assertThat(timeline.of("b").submitted(logged)).as("another job").isEqualTo(steady());
    clock.advance(HOUR);
    assertThat(timeline.of("a").submitted(logged)).as("the clock caught up").isEqualTo(first);
    assertThat(timeline.of("c").submitted(logged)).as("read late").isEqualTo(logged);
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void whatWasSubmittedOnAnotherSettingOfTheClockIsDatedByThatSetting(int hours) {
    Instant before = clock.instant();
    clock.advance(MINUTE);
    timeline.now();
    clock.jump(HOUR.multipliedBy(hours));
    timeline.now();
    clock.advance(MINUTE);
    Instant between = clock.instant();
    clock.advance(MINUTE);
    timeline.now();
    clock.jump(HOUR.multipliedBy(-hours));
    timeline.now();
    clock.advance(MINUTE);
    Instant after = clock.instant();
    clock.advance(MINUTE);
    assertThat(timeline.submitted(before)).isEqualTo(START);
    assertThat(timeline.submitted(between)).isEqualTo(START.plus(MINUTE.multipliedBy(2)));
    assertThat(timeline.submitted(after)).isEqualTo(START.plus(MINUTE.multipliedBy(4)));
    assertThat(steady()).isEqualTo(START.plus(MINUTE.multipliedBy(5)));
  }

  @Test
  void anEntryThatIsAheadOfTheClockWasWrittenJustNow() {
    clock.jump(HOUR);
    Instant ahead = timeline.now().wall();
    clock.advance(MINUTE);
    clock.jump(HOUR.negated());
    assertThat(timeline.written(ahead)).isEqualTo(steady());
    clock.advance(HOUR);
    assertThat(timeline.written(ahead)).as("as late as it can be").isEqualTo(START.plus(HOUR));
  }

  @Test
  void aTimeThatTheClockSkippedIsThatOfTheSkip() {
    clock.advance(MINUTE);
    timeline.now();
    clock.jump(HOUR);
    clock.advance(MINUTE);
    assertThat(timeline.submitted(START.plus(HOUR.dividedBy(2)))).isEqualTo(START.plus(MINUTE));
  }

  @Test
  void aClockThatIsSetAllTheTimeFillsNoMemoryAndKeepsTheLastSettings() {
    for (int i = 0; i < 10_000; i++) {
      clock.advance(MINUTE);
      clock.jump(HOUR);
      timeline.now();
    }
    clock.advance(MINUTE);
    Instant logged = clock.instant();
    Instant steady = steady();
    clock.advance(MINUTE);
    assertThat(timeline.submitted(logged)).isEqualTo(steady);
    assertThat(timeline.submitted(START.minus(HOUR))).isEqualTo(START.minus(HOUR));
  }

  @Test
  void aPlainClockIsCombinedWithTheMachinesMonotonicTime() {
    ProcessTimeline fixed = new ProcessTimeline(Clock.fixed(START, clock.getZone()));
    Instant first = fixed.now().steady();
    assertThat(fixed.now().wall()).isEqualTo(START);
    assertThat(first).isAfterOrEqualTo(START);
    assertThat(fixed.now().steady()).isAfterOrEqualTo(first);
  }
}
