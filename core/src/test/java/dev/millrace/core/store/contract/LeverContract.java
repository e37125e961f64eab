package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.random.StoreComparison;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pause, resume and abort, with all that follows in the same step. */
abstract class LeverContract extends ContractCase {

  private void assertRefused(Outcome outcome, JobEvent event, JobState state) {
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).message())
        .contains("job", event.name(), state.name(), "legal");
  }

  @Test
  void noTaskOfAPausedJobIsClaimedUntilItIsResumed() {
    JobId id = submit(stage("a", "x"));
    assertThat(store.pause(id, ANNA).isDone()).isTrue();
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertNothingToClaim("a");
    crash();
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertNothingToClaim("a");
    assertThat(store.resume(id, ANNA).isDone()).isTrue();
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    crash();
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aJobThatHadStartedContinuesWhereItWas() {
    JobId id = submit(stage("a", "x", "y"));
    Claim running = claimOne("a");
    clock.advance(MINUTE);
    store.pause(id, ANNA);
    assertThat(store.heartbeat(running, false)).isEqualTo(ClaimSignal.PAUSE);
    store.release(running, "pause");
    store.resume(id, ANNA);

    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    assertThat(view(id).startedAt()).isEqualTo(ManualClock.START);
    assertThat(events(id))
        .extracting(entry -> StoreComparison.withoutOp(entry.fact()))
        .endsWith(
            new Fact.JobChanged(JobEvent.RESUME, ANNA),
            new Fact.JobChanged(JobEvent.BEGIN, Cause.SYSTEM));
    assertThat(claim(10, "a")).hasSize(2);
  }

  @Test
  void whatFinishesDuringAPauseIsKeptAndTakesEffectOnResume() {
    JobId id = submit(stage("a", "x"), stage("b", "y"));
    Claim running = claimOne("a");
    store.pause(id, ANNA);
    complete(running, "finished");
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    assertNothingToClaim("a", "b");
    crash();
    store.resume(id, ANNA);
    complete(claimOne("b"), "too");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aJobThatFinishedDuringAPauseEndsOnResume() {
    JobId done = submit(stage("a", "x"));
    JobId broken = submit(stage("a", "x", "never started"));
    List<Claim> claims = claim(2, "a");
    store.pause(done, ANNA);
    store.pause(broken, ANNA);
    complete(claims.get(0), "finished");
    fail(claims.get(1), "broken");
    assertThat(state(done)).isEqualTo(JobState.PAUSED);
    assertThat(state(broken)).isEqualTo(JobState.PAUSED);
    crash();
    assertThat(state(done)).isEqualTo(JobState.PAUSED);
    assertThat(state(broken)).isEqualTo(JobState.PAUSED);
    store.resume(done, ANNA);
    store.resume(broken, ANNA);
    assertThat(state(done)).isEqualTo(JobState.COMPLETED);
    assertThat(state(broken)).isEqualTo(JobState.FAILED);
    assertThat(taskState(broken, 1, 2)).isEqualTo(TaskState.ABORTED);
  }

  @Test
  void anAbortEndsEverythingInOneStep() {
    JobId id =
        submit(
            ContractJobs.tasks("a", 4),
            ContractJobs.gate(stage("b", "x")),
            ContractJobs.each("c", "{{result}}"));
    List<Claim> claims = claim(3, "a");
    complete(claims.get(0), "done");
    store.release(claims.get(1), "shutdown");
    clock.advance(MINUTE);
    long before = view(id).lastEvent();
    assertThat(store.abort(id, ANNA).isDone()).isTrue();

    JobView view = view(id);
    assertThat(view.state()).isEqualTo(JobState.ABORTED);
    assertThat(view.completedAt()).isEqualTo(clock.instant());
    assertThat(view.lastEvent()).as("one event").isEqualTo(before + 1);
    assertThat(view.stages())
        .allSatisfy(
            stage -> {
              assertThat(stage.state()).isEqualTo(StageState.ABORTED);
              assertThat(stage.completedAt()).isEqualTo(clock.instant());
            });
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(TaskView::state)
        .containsExactly(
            TaskState.COMPLETED, TaskState.ABORTED, TaskState.ABORTED, TaskState.ABORTED);
    assertNothingToClaim("a", "b", "c");
    assertThat(store.heartbeat(claims.get(2), true)).isEqualTo(ClaimSignal.CANCEL);
    assertEveryAnswerIs(Outcome.Cancelled.class, claims.get(2));
    List<Object> seen = everything(id);
    crash();
    assertThat(everything(id)).isEqualTo(seen);
    assertThat(store.sweep()).isZero();
  }

  @Test
  void aJobCanBeAbortedInAnyState() {
    JobId pending = submit(stage("a", "x"));
    JobId held = store.submit(ContractJobs.held(ContractJobs.job(stage("a", "x"))));
    JobId waiting = submit(ContractJobs.gate(stage("a", "x")));
    for (JobId id : List.of(pending, held, waiting)) {
      assertThat(store.abort(id, ANNA).isDone()).isTrue();
      assertThat(state(id)).isEqualTo(JobState.ABORTED);
      assertThat(view(id).startedAt()).isNull();
    }
    assertNothingToClaim("a");
  }

  @Test
  void stagesAfterTheFailedOneKeepTheirStateAndRefuseLevers() {
    JobId id =
        submit(
            stage("a", "x", "y"),
            stage("b", "z"),
            ContractJobs.gate(stage("c", "z")),
            stage("d", "z"));
    store.hold(id, 4, ANNA);
    Claim claim = claimOne("a");
    store.fail(claim, Failure.permanent("broken"));

    List<StageState> states =
        List.of(StageState.FAILED, StageState.CREATED, StageState.WAITING, StageState.WAITING);
    for (boolean after : new boolean[] {false, true}) {
      if (after) {
        crash();
      }
      assertThat(view(id).state()).isEqualTo(JobState.FAILED);
      assertThat(view(id).stages()).extracting(JobView.StageView::state).isEqualTo(states);
      assertThat(taskState(id, 1, 2)).as("of the failed stage").isEqualTo(TaskState.ABORTED);
      assertThat(taskState(id, 2, 1)).isEqualTo(TaskState.PENDING);
      assertThat(view(id).stages().get(1).completedAt()).isNull();
      List<Object> before = everything(id);
      for (int stage = 1; stage <= 4; stage++) {
        assertThat(store.hold(id, stage, ANNA)).isInstanceOf(Outcome.Refused.class);
        assertThat(store.approve(id, stage, ANNA)).isInstanceOf(Outcome.Refused.class);
      }
      assertThat(everything(id)).isEqualTo(before);
      assertNothingToClaim("a", "b", "c", "d");
      assertThat(store.queueStats().types()).as("nothing of an ended job waits").isEmpty();
    }
    assertThat(store.hold(id, 2, ANNA))
        .isEqualTo(
            new Outcome.Refused(
                Outcome.Reason.JOB_ENDED, "the job is FAILED: stage 2 no longer changes"));
  }

  @Test
  void aFinalJobRefusesEveryLever() {
    JobId completed = submit(stage("a", "x"));
    complete(claimOne("a"), "done");
    JobId failed = submit(stage("a", "x"));
    fail(claimOne("a"), "broken");
    JobId aborted = submit(stage("a", "x"));
    store.abort(aborted, ANNA);

    for (JobId id : List.of(completed, failed, aborted)) {
      List<Object> before = everything(id);
      JobState state = state(id);
      assertRefused(store.pause(id, ANNA), JobEvent.PAUSE, state);
      assertRefused(store.resume(id, ANNA), JobEvent.RESUME, state);
      assertRefused(store.abort(id, ANNA), JobEvent.ABORT, state);
      assertThat(store.approve(id, 1, ANNA)).isInstanceOf(Outcome.Refused.class);
      assertThat(store.hold(id, 1, ANNA)).isInstanceOf(Outcome.Refused.class);
      assertThat(everything(id)).isEqualTo(before);
    }
  }

  @Test
  void anIllegalLeverIsRefusedAndChangesNothing() {
    JobId id = submit(stage("a", "x"));
    List<Object> before = everything(id);
    assertRefused(store.resume(id, ANNA), JobEvent.RESUME, JobState.PENDING);
    assertThat(everything(id)).isEqualTo(before);
    store.pause(id, ANNA);
    List<Object> paused = everything(id);
    assertRefused(store.pause(id, ANNA), JobEvent.PAUSE, JobState.PAUSED);
    assertThat(everything(id)).isEqualTo(paused);
  }

  @Test
  void aLeverForAnUnknownJobIsMissing() {
    JobId nobody = new JobId("1_2_3");
    assertThat(
            List.of(
                store.pause(nobody, ANNA),
                store.resume(nobody, ANNA),
                store.abort(nobody, ANNA),
                store.approve(nobody, 1, ANNA),
                store.hold(nobody, 1, ANNA)))
        .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Missing.class));
  }

  @Test
  void whoDidItAndWhyIsInTheLog() {
    JobId id = submit(stage("a", "x"));
    Cause pause = Cause.user("anna", "lunch: \"12:00\"\n");
    Cause resume = new Cause(dev.millrace.core.state.Actor.USER, null, null, null);
    store.pause(id, pause);
    clock.advance(MINUTE);
    store.resume(id, resume);
    store.abort(id, ANNA);
    crash();
    assertThat(events(id).stream().skip(1).map(LogEntry::fact).map(StoreComparison::withoutOp))
        .containsExactly(
            new Fact.JobChanged(JobEvent.PAUSE, pause),
            new Fact.JobChanged(JobEvent.RESUME, resume),
            new Fact.JobChanged(JobEvent.ABORT, ANNA));
    assertThat(events(id).get(2).at()).isEqualTo(ManualClock.START.plus(MINUTE));
  }

  @Test
  void theLeverWatcherIsCalledWhenRunningTasksMustStop() {
    List<JobId> told = new ArrayList<>();
    JobId id = submit(ContractJobs.tasks("a", 3));
    JobId waiting = submit(ContractJobs.tasks("b", 1));
    Claim claim = claimOne("a");
    store.onLever(
        job -> {
          told.add(job);
          assertThat(store.heartbeat(claim, false)).isNotEqualTo(ClaimSignal.CONTINUE);
        });
    store.pause(waiting, ANNA);
    store.abort(waiting, ANNA);
    assertThat(told).as("nothing of it ran").isEmpty();
    store.pause(id, ANNA);
    assertThat(told).containsExactly(id);
    store.resume(id, ANNA);
    assertThat(told).hasSize(1);
    store.hold(id, 1, ANNA);
    assertThat(told).containsExactly(id, id);
    store.approve(id, 1, ANNA);
    store.abort(id, ANNA);
    assertThat(told).containsExactly(id, id, id);
    store.abort(id, ANNA);
    assertThat(told).hasSize(3);
  }

  @Test
  void theLeverWatcherIsCalledWhenAJobFails() {
    List<JobId> told = new ArrayList<>();
    JobId id = submit(ContractJobs.tasks("a", 2));
    List<Claim> claims = claim(2, "a");
    store.onLever(told::add);
    fail(claims.get(0), "broken");
    assertThat(told).containsExactly(id);
    assertThat(store.heartbeat(claims.get(1), false)).isEqualTo(ClaimSignal.CANCEL);

    submit(stage("generate", "x"));
    fail(claimOne("generate"), "alone");
    assertThat(told).as("nobody else to tell").hasSize(1);
  }
}
