package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static dev.millrace.core.store.contract.ContractJobs.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The wall clock is set, forward or back, or the machine is suspended: what is due stays due when
 * its time has passed, neither before nor long after.
 */
abstract class ClockContract extends ContractCase {
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** The first wait is a minute, but the longest one an hour: a jump of less hides in it. */
  private static final Backoff LONG = new Backoff(MINUTE, 1.0, HOUR, 0.0);

  private Claim leased(Duration lease) {
    return claim(1, lease, "a").getFirst();
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void settingTheClockEndsNoLeaseAndProlongsNone(int hours) {
    JobId id = submit(stage("a", "x", "y"));
    leased(MINUTE);
    Claim renewed = leased(MINUTE);
    clock.jump(HOUR.multipliedBy(hours));
    assertThat(store.sweep()).isZero();
    clock.advance(MINUTE.minus(MILLI));
    assertThat(store.sweep()).isZero();
    assertThat(store.heartbeat(renewed, false)).isEqualTo(ClaimSignal.CONTINUE);
    clock.jump(HOUR.multipliedBy(-hours));
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.IN_PROGRESS);
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(1);
  }

  /** In a suspended machine only the wall clock goes on. */
  @Test
  void aMachineThatWasSuspendedKeepsItsLeasesAndItsRunningTasks() {
    JobId id = submit(with(ContractJobs.runTimeout(1, MINUTE), stage("a", "x", "y")));
    Claim remote = leased(MINUTE);
    Claim local = claimOne("a");
    clock.jump(HOUR.multipliedBy(8));
    assertThat(store.sweep()).isZero();
    assertThat(store.heartbeat(remote, false)).isEqualTo(ClaimSignal.CONTINUE);
    complete(remote, "one");
    complete(local, "two");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    assertThat(view(id).completedAt()).isEqualTo(clock.instant());
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void anAttemptHasItsTimeWhateverTheClockSays(int hours) {
    JobId id = submit(with(ContractJobs.runTimeout(1, MINUTE), stage("a", "x")));
    claimOne("a");
    clock.advance(SECOND);
    clock.jump(HOUR.multipliedBy(hours));
    clock.advance(MINUTE.plus(ClaimRules.OVERRUN_GRACE).minus(SECOND).minus(MILLI));
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(task(id, 1, 1).error()).isEqualTo("run timeout: not finished within PT1M");
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void anAttemptThatOutlivesItsOwnerHasItsWholeTimeAgain(int hours) {
    JobId id = submit(with(ContractJobs.runTimeout(1, MINUTE), stage("a", "x")));
    Claim claim = leased(HOUR);
    clock.advance(SECOND.multipliedBy(30));
    clock.jump(HOUR.multipliedBy(hours));
    crash();
    clock.advance(MINUTE.plus(ClaimRules.OVERRUN_GRACE).minus(MILLI));
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aBackoffThatBeganOnAClockThatWasAheadLastsAsLongAsAnother() {
    JobId id = submit(with(new TaskPolicy(3, LONG, null, null, 3), stage("a", "x")));
    clock.jump(HOUR.dividedBy(2));
    fail(claimOne("a"), "broken");
    clock.jump(HOUR.dividedBy(2).negated());
    clock.advance(MINUTE.minus(MILLI));
    assertNothingToClaim("a");
    clock.advance(MILLI);
    fail(claimOne("a"), "broken while the log is ahead");
    clock.advance(MINUTE.minus(MILLI));
    assertNothingToClaim("a");
    clock.advance(MILLI);
    assertThat(claimOne("a").attempt()).isEqualTo(3);
    assertThat(events(id).getLast().at())
        .as("the log does not run backwards")
        .isEqualTo(ManualClock.START.plus(HOUR.dividedBy(2)));
  }

  @ParameterizedTest
  @ValueSource(ints = {-30, 30, -300, 300})
  void aBackoffUnderTheNextOwnerIsNeverLongerThanItsWait(int minutes) {
    submit(with(new TaskPolicy(2, LONG, null, null, 3), stage("a", "x")));
    fail(claimOne("a"), "broken");
    clock.jump(MINUTE.multipliedBy(minutes));
    crash();
    clock.advance(MINUTE);
    assertThat(claimOne("a").attempt()).isEqualTo(2);
  }

  @Test
  void aBackoffCountsOnUnderTheNextOwner() {
    submit(with(new TaskPolicy(2, LONG, null, null, 3), stage("a", "x")));
    fail(claimOne("a"), "broken");
    clock.advance(MINUTE.minus(SECOND));
    crash();
    assertNothingToClaim("a");
    clock.advance(SECOND);
    assertThat(claimOne("a").attempt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void aWaitingTaskHasItsTimeWhateverTheClockSays(int hours) {
    JobId before = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.jump(HOUR.multipliedBy(hours));
    assertThat(store.sweep()).isZero();
    JobId between = submit(with(ContractJobs.queueTimeout(MINUTE), stage("b", "x")));
    clock.advance(MINUTE.minus(SECOND));
    assertThat(store.sweep()).isZero();
    clock.jump(HOUR.multipliedBy(-hours));
    assertThat(store.sweep()).as("corrected").isZero();
    JobId after = submit(with(ContractJobs.queueTimeout(MINUTE), stage("c", "x")));
    assertThat(claim(9, "b")).extracting(Claim::job).containsExactly(between);
    clock.advance(SECOND);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(before)).isEqualTo(JobState.FAILED);
    assertThat(state(between)).isEqualTo(JobState.IN_PROGRESS);
    clock.advance(MINUTE.minus(SECOND));
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(after)).isEqualTo(JobState.FAILED);
  }

  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void aTaskThatWaitsAfterTheClockWasSetForGoodHasItsTime(int hours) {
    clock.jump(HOUR.multipliedBy(hours));
    assertNothingToClaim("a");
    JobId claimed = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    JobId late = submit(with(ContractJobs.queueTimeout(MINUTE), stage("b", "x")));
    clock.advance(MINUTE.minus(MILLI));
    assertThat(store.sweep()).isZero();
    assertThat(claimOne("a").job()).isEqualTo(claimed);
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(late)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aQueueTimeoutCountsOnUnderTheNextOwner() {
    JobId id = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.advance(MINUTE.minus(MILLI));
    crash();
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aTaskThatWaitsSinceAFutureTimeExpiresAllTheSame() {
    clock.jump(HOUR.multipliedBy(3));
    JobId id = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.jump(HOUR.multipliedBy(-3));
    crash();
    assertThat(store.sweep()).isZero();
    clock.advance(HOUR.multipliedBy(3).plus(MINUTE));
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aClockThatIsSetBackDoesNotReverseTheLog() {
    JobId id = submit(with(ContractJobs.attempts(3), stage("a", "x", "y")));
    Claim claim = claimOne("a");
    clock.jump(Duration.ofHours(-2));
    assertThat(store.fail(claim, Failure.of("broken"))).isEqualTo(Outcome.DONE);
    assertThat(claimOne("a").key().task()).as("the first one waits").isEqualTo(2);
    assertThat(events(id)).allSatisfy(e -> assertThat(e.at()).isEqualTo(ManualClock.START));
    clock.jump(Duration.ofHours(3));
    Instant later = clock.instant();
    crash();
    assertThat(events(id).getLast().at()).isEqualTo(later);
  }
}
