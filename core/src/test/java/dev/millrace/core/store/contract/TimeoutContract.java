package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static dev.millrace.core.store.contract.ContractJobs.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leases and timeouts. */
abstract class TimeoutContract extends ContractCase {
  private static final Duration MILLI = Duration.ofMillis(1);

  @Test
  void aClaimWhoseLeaseExpiredIsEnqueuedAgain() {
    JobId id = submit(stage("a", "x"));
    Claim former = claim(1, MINUTE, "a").getFirst();
    clock.advance(MINUTE.minus(MILLI));
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(store.heartbeat(former, true)).isEqualTo(ClaimSignal.LOST);
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    Claim present = claimOne("a");
    assertThat(present.attempt()).as("a lost lease costs no attempt").isEqualTo(1);
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    complete(present, "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aHeartbeatRenewsTheLease() {
    submit(stage("a", "x", "y"));
    List<Claim> claims = claim(2, MINUTE, "a");
    for (int i = 0; i < 5; i++) {
      clock.advance(MINUTE.minus(MILLI));
      assertThat(store.heartbeat(claims.get(0), false)).isEqualTo(ClaimSignal.CONTINUE);
      assertThat(store.sweep()).isEqualTo(i == 1 ? 1 : 0);
    }
    assertThat(store.heartbeat(claims.get(1), false)).isEqualTo(ClaimSignal.LOST);
    complete(claims.get(0), "done");
    clock.advance(MINUTE);
    assertThat(store.sweep()).isZero();
  }

  @Test
  void anExpiredLeaseIsLostOnlyByASweep() {
    submit(stage("a", "x"));
    Claim claim = claim(1, MINUTE, "a").getFirst();
    clock.advance(MINUTE.multipliedBy(10));
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.sweep()).isZero();
    clock.advance(MINUTE.multipliedBy(10));
    complete(claim, "late, but nobody took it away");
  }

  @Test
  void aClaimWithoutALeaseLivesAsLongAsTheOwner() {
    submit(stage("a", "x"));
    Claim claim = claimOne("a");
    clock.advance(Duration.ofDays(1_000));
    assertThat(store.sweep()).isZero();
    complete(claim, "done");
  }

  @Test
  void leasesLostRepeatedlyReachTheCeiling() {
    JobId id = submit(with(ContractJobs.ceiling(2), stage("a", "x")));
    for (int i = 0; i < 3; i++) {
      assertThat(state(id)).isNotEqualTo(JobState.FAILED);
      assertThat(claim(1, MINUTE, "a")).hasSize(1);
      clock.advance(MINUTE);
      assertThat(store.sweep()).isEqualTo(1);
    }
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error())
        .isEqualTo(
            "Job exceeded recovery ceiling after repeatedly lost leases: its workers fell silent");
  }

  @Test
  void aLeaseLostDuringAPauseDoesNotEndThePause() {
    JobId id = submit(stage("a", "x"));
    claim(1, MINUTE, "a");
    store.pause(id, ANNA);
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertNothingToClaim("a");
    store.resume(id, ANNA);
    assertThat(claimOne("a").attempt()).isEqualTo(1);
  }

  @Test
  void aWorkerHasAGracePeriodToFailAnAttemptThatRanTooLong() {
    JobId id = submit(with(ContractJobs.runTimeout(1, MINUTE), stage("a", "x")));
    Claim claim = claimOne("a");
    clock.advance(MINUTE.plus(ClaimRules.OVERRUN_GRACE).minus(MILLI));
    assertThat(store.sweep()).isZero();
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.fail(claim, Failure.of("out of time").withPartial("half", null)))
        .isEqualTo(Outcome.DONE);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error()).isEqualTo("out of time");
  }

  @Test
  void anAttemptThatRanTooLongFailsAfterTheGracePeriod() {
    JobId id = submit(with(ContractJobs.runTimeout(2, MINUTE), stage("a", "x")));
    Claim first = claimOne("a");
    clock.advance(MINUTE.plus(ClaimRules.OVERRUN_GRACE).minus(MILLI));
    assertThat(store.heartbeat(first, true)).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(task(id, 1, 1).attempts()).isEqualTo(1);
    assertThat(task(id, 1, 1).error()).isEqualTo("run timeout: not finished within PT1M");
    assertEveryAnswerIs(Outcome.Fenced.class, first);
    assertNothingToClaim("a");
    clock.advance(SECOND);
    Claim second = claimOne("a");
    assertThat(second.attempt()).isEqualTo(2);
    clock.advance(MINUTE.plus(ClaimRules.OVERRUN_GRACE));
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertEveryAnswerIs(Outcome.Fenced.class, second);
  }

  @Test
  void aTaskThatWaitsTooLongFails() {
    JobId id = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x", "y")));
    clock.advance(MINUTE.minus(MILLI));
    Claim inTime = claimOne("a");
    crash(); // the claim is enqueued again, its timeout restarts
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.FAILED);
    assertThat(task(id, 1, 2).error()).isEqualTo("queue timeout: not claimed within PT1M");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.ABORTED);
    assertEveryAnswerIs(Outcome.Cancelled.class, inTime);
  }

  @Test
  void aTaskThatWaitedTooLongIsNotClaimedEvenWithoutASweep() {
    JobId id = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    JobId partly =
        submit(
            ContractJobs.collecting(
                1.0, with(ContractJobs.queueTimeout(MINUTE), stage("a", "y", "z"))),
            stage("b", "then"));
    JobId patient = submit(stage("a", "w"));
    Claim ran = claim(2, "a").getLast();
    assertThat(ran.job()).isEqualTo(partly);
    clock.advance(MINUTE);
    crash();
    List<Claim> claims = claim(9, "a");
    assertThat(claims).extracting(Claim::job).containsExactly(id, partly, patient);
    claims.forEach(claim -> complete(claim, "done"));
    assertThat(taskState(partly, 1, 2)).isEqualTo(TaskState.FAILED);
    assertThat(task(partly, 1, 2).error()).isEqualTo("queue timeout: not claimed within PT1M");
    complete(claimOne("b"), "done");
    assertThat(state(partly)).isEqualTo(JobState.COMPLETED);

    JobId alone = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.advance(MINUTE);
    reopen();
    assertThat(claim(9, "a")).isEmpty();
    assertThat(state(alone)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aStageThatOpensAfterQueueTimeoutsIsClaimedAtOnce() {
    JobId id =
        submit(
            ContractJobs.collecting(
                1.0, with(ContractJobs.queueTimeout(MINUTE), stage("a", "x", "y"))),
            stage("a", "then"));
    clock.advance(MINUTE);
    assertThat(claimOne("a").inputText()).isEqualTo("then");
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
  }

  @Test
  void timeInAPauseDoesNotCount() {
    JobId id = submit(with(ContractJobs.queueTimeout(MINUTE), stage("a", "x")));
    clock.advance(MINUTE.minus(MILLI));
    store.pause(id, ANNA);
    clock.advance(MINUTE);
    assertThat(store.sweep()).isZero();
    store.resume(id, ANNA);
    clock.advance(MINUTE.minus(MILLI));
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(view(id).startedAt()).isNull();
  }

  @Test
  void timeBehindAGateOrAnEarlierStageDoesNotCount() {
    JobId id =
        submit(
            stage("a", "x"),
            ContractJobs.gate(with(ContractJobs.queueTimeout(MINUTE), stage("b", "y"))));
    clock.advance(MINUTE);
    workOff("a");
    clock.advance(MINUTE);
    assertThat(store.sweep()).isZero();
    store.approve(id, 2, ANNA);
    assertThat(store.sweep()).isZero();
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void timeInABackoffDoesNotCount() {
    Backoff hour = new Backoff(Duration.ofHours(1), 1.0, Duration.ofHours(1), 0.0);
    JobId id = submit(with(new TaskPolicy(2, hour, MINUTE, null, 3), stage("a", "x")));
    fail(claimOne("a"), "broken");
    clock.advance(Duration.ofHours(1).plus(MINUTE).minus(MILLI));
    assertThat(store.sweep()).isZero();
    clock.advance(MILLI);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aSweepHandlesTasksInOrder() {
    JobId id =
        submit(
            ContractJobs.collecting(
                1.0, with(ContractJobs.queueTimeout(MINUTE), ContractJobs.tasks("a", 3))));
    claim(1, SECOND, "a");
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(3);
    assertThat(store.tasks(id, 1, 1, 9))
        .extracting(TaskView::state)
        .containsExactly(TaskState.RETRIED, TaskState.FAILED, TaskState.FAILED);
  }

  @Test
  void aHeartbeatTellsTheWorkerWhatToDo() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CONTINUE);
    store.hold(id, 1, ANNA);
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.PAUSE);
    store.approve(id, 1, ANNA);
    store.pause(id, ANNA);
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.PAUSE);
    store.resume(id, ANNA);
    assertThat(store.heartbeat(claim, true)).isEqualTo(ClaimSignal.CONTINUE);
    long last = view(id).lastEvent();
    store.heartbeat(claim, true);
    assertThat(view(id).lastEvent()).as("nothing to forgive, nothing to record").isEqualTo(last);
    store.abort(id, ANNA);
    assertThat(store.heartbeat(claim, true)).isEqualTo(ClaimSignal.CANCEL);
  }
}
