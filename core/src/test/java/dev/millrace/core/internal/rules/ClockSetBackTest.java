package dev.millrace.core.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.internal.rules.JobUpdate.TemplateResolver;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules while the clock runs backwards: the log's times do not, and nothing waits forever. */
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
                      FailureTolerance.NONE,
                      new TaskPolicy(3, Backoff.DEFAULT, Duration.ofMinutes(1), null, 3),
                      1,
                      false))),
          TransitionListener.IGNORED);

  private JobUpdate at(Instant now) {
    return new JobUpdate(fold, now, TemplateResolver.NONE);
  }

  /** The clock shows {@code wall} when {@code passed} has passed since the start. */
  private JobUpdate at(Instant wall, Duration passed) {
    return new JobUpdate(fold, new Moment(wall, START.plus(passed)), TemplateResolver.NONE);
  }

  private void failOnce() {
    at(START).record(new Fact.Submitted());
    assertThat(ClaimRules.claim(at(START), 1, 1, WORKER)).isEqualTo(Outcome.DONE);
    ClaimKey key = new ClaimKey(1, 1, fold.stage(1).task(1).token());
    ClaimRules.fail(at(START), key, Failure.of("broken"), 0.5);
    assertThat(fold.stage(1).task(1).notBefore()).isEqualTo(Moment.of(START.plusSeconds(1)));
  }

  @Test
  void aBackoffLastsUntilItsTimeHasPassedWhateverTheClockSays() {
    failOnce();
    Duration second = Duration.ofSeconds(1);
    for (Duration jump :
        List.of(Duration.ofHours(-2), Duration.ofSeconds(-60), Duration.ofDays(1))) {
      Instant wall = START.plus(jump);
      assertThat(ClaimRules.claim(at(wall, second.minusMillis(1)), 1, 1, WORKER))
          .isInstanceOf(Outcome.Refused.class);
    }
    Instant back = START.minus(Duration.ofHours(2));
    assertThat(ClaimRules.claim(at(back, second), 1, 1, WORKER)).isEqualTo(Outcome.DONE);
    assertThat(fold.lastAt()).as("the log does not run backwards").isEqualTo(START);
    assertThat(fold.state()).isEqualTo(JobState.IN_PROGRESS);
  }

  @Test
  void timesOfAnUpdateAreNeverBeforeTheLastEntry() {
    failOnce();
    JobUpdate update = at(START.minusSeconds(5));
    assertThat(update.now()).isEqualTo(START);
    assertThat(update.record(new Fact.WorkerLogLine(0, 0, "info", "x")).at()).isEqualTo(START);
  }

  @Test
  void aHoldBeforeTheSubmissionIsKept() {
    assertThat(LeverRules.hold(at(START), 1, Cause.SYSTEM)).isEqualTo(Outcome.DONE);
    JobUpdate update = at(START);
    update.record(new Fact.Submitted());
    update.runCascade();
    assertThat(fold.state()).isEqualTo(JobState.PENDING);
    assertThat(ClaimRules.isClaimable(fold, 1, 1, START)).isFalse();
    assertThat(LeverRules.approve(at(START), 1, Cause.SYSTEM)).isEqualTo(Outcome.DONE);
    assertThat(ClaimRules.isClaimable(fold, 1, 1, START)).isTrue();
  }

  @Test
  void anOverdueTaskIsNotExpiredBeforeItsTime() {
    failOnce();
    Instant deadline = START.plusSeconds(61);
    assertThat(ClaimRules.queueDeadline(fold, 1, 1)).isEqualTo(deadline);
    assertThat(ClaimRules.expire(at(deadline.minusMillis(1)), 1, 1))
        .isInstanceOf(Outcome.Refused.class);
    assertThat(ClaimRules.expire(at(deadline), 1, 1)).isEqualTo(Outcome.DONE);
    assertThat(fold.stage(1).task(1).state()).isEqualTo(TaskState.FAILED);
  }
}
