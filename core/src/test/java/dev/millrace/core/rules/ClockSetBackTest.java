package dev.millrace.core.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.JobPlan.StagePlan;
import dev.millrace.core.rules.Turn.Openings;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules while the clock runs backwards: the log does not, and nothing waits for ever. */
class ClockSetBackTest {
  private static final Instant START = Instant.parse("2026-03-01T08:00:00Z");
  private static final Detail.Claimed WORKER = new Detail.Claimed(1, "w");

  private final JobFold fold =
      JobFold.created(
          new JobPlan(
              START,
              false,
              true,
              List.of(
                  new StagePlan(
                      "a",
                      false,
                      Tolerance.NONE,
                      new TaskPolicy(3, Backoff.DEFAULT, Duration.ofMinutes(1), null, 3),
                      1,
                      false))),
          Moves.IGNORED);

  private Turn at(Instant now) {
    return new Turn(fold, now, Openings.NONE);
  }

  private void failOnce() {
    at(START).record(new Fact.Submitted());
    assertThat(Claims.claim(at(START), 1, 1, WORKER)).isEqualTo(Answer.DONE);
    Hold hold = new Hold(1, 1, fold.stage(1).task(1).token());
    Claims.fail(at(START), hold, Failure.of("broken"), 0.5);
    assertThat(fold.stage(1).task(1).notBefore()).isEqualTo(START.plusSeconds(1));
  }

  @Test
  void aBackoffOfAClockThatWasSetFarBackIsOver() {
    failOnce();
    Instant back = START.minus(Duration.ofHours(2));
    assertThat(Claims.claimable(fold, 1, 1, back)).isTrue();
    assertThat(Claims.claim(at(back), 1, 1, WORKER))
        .as("claim agrees with claimable")
        .isEqualTo(Answer.DONE);
    assertThat(fold.lastAt()).as("the log does not run backwards").isEqualTo(START);
    assertThat(fold.state()).isEqualTo(JobState.IN_PROGRESS);
  }

  @Test
  void aBackoffOfAClockThatWasSetBackALittleStillRuns() {
    failOnce();
    Instant back = START.minusSeconds(60);
    assertThat(Claims.claimable(fold, 1, 1, back)).isFalse();
    assertThat(Claims.claim(at(back), 1, 1, WORKER)).isInstanceOf(Answer.Refused.class);
    assertThat(Claims.claim(at(START.plusSeconds(1)), 1, 1, WORKER)).isEqualTo(Answer.DONE);
  }

  @Test
  void timesOfATurnAreNeverBeforeTheLastEntry() {
    failOnce();
    Turn turn = at(START.minusSeconds(5));
    assertThat(turn.now()).isEqualTo(START);
    assertThat(turn.record(new Fact.Line(0, 0, "info", "x")).at()).isEqualTo(START);
  }

  @Test
  void aHoldWhileAJobIsAssembledOutlivesItsSubmission() {
    assertThat(Levers.hold(at(START), 1, Cause.SYSTEM)).isEqualTo(Answer.DONE);
    Turn turn = at(START);
    turn.record(new Fact.Submitted());
    turn.settle();
    assertThat(fold.state()).isEqualTo(JobState.PENDING);
    assertThat(Claims.claimable(fold, 1, 1, START)).isFalse();
    assertThat(Levers.approve(at(START), 1, Cause.SYSTEM)).isEqualTo(Answer.DONE);
    assertThat(Claims.claimable(fold, 1, 1, START)).isTrue();
  }

  @Test
  void anOverdueTaskIsNotExpiredBeforeItsTime() {
    failOnce();
    Instant deadline = START.plusSeconds(61);
    assertThat(Claims.queueDeadline(fold, 1, 1)).isEqualTo(deadline);
    assertThat(Claims.expire(at(deadline.minusMillis(1)), 1, 1)).isInstanceOf(Answer.Refused.class);
    assertThat(Claims.expire(at(deadline), 1, 1)).isEqualTo(Answer.DONE);
    assertThat(fold.stage(1).task(1).state()).isEqualTo(TaskState.FAILED);
  }
}
