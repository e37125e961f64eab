package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static dev.millrace.core.store.contract.ContractJobs.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.fixture.StoreFixture.Damage;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a new owner recovers after the last one crashed or closed; a job that cannot be read is left
 * alone.
 */
abstract class RecoveryContract extends ContractCase {

  @Test
  void aCrashReleasesRunningTasks() {
    JobId id = submit(stage("a", "x", "y"));
    Claim former = claimOne("a");
    clock.advance(MINUTE);
    crash();

    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    assertThat(stageState(id, 1)).isEqualTo(StageState.IN_PROGRESS);
    assertThat(view(id).startedAt()).isEqualTo(ManualClock.START);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(task(id, 1, 1).attempts()).isZero();
    assertThat(store.heartbeat(former, true)).isEqualTo(ClaimSignal.LOST);
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    Claim present = claimOne("a");
    assertThat(present.key().task()).isEqualTo(1);
    assertThat(present.attempt()).isEqualTo(1);
    assertThat(task(id, 1, 1).startedAt()).as("once").isEqualTo(ManualClock.START);
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    complete(present, "done");
  }

  @Test
  void aCleanCloseReleasesRunningTasks() {
    JobId id = submit(stage("a", "x"));
    Claim former = claimOne("a");
    reopen();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    complete(claimOne("a"), "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void everyClaimHasItsOwnToken() {
    submit(ContractJobs.with(ContractJobs.ceiling(100), ContractJobs.tasks("a", 3)));
    Set<FencingToken> tokens = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      List<Claim> claims = claim(3, "a");
      claims.forEach(claim -> assertThat(tokens.add(claim.key().token())).isTrue());
      assertThat(claims)
          .extracting(claim -> claim.key().token().epoch())
          .containsOnly(claims.getFirst().key().token().epoch());
      crash();
    }
    assertThat(tokens)
        .extracting(FencingToken::epoch)
        .doesNotContainNull()
        .satisfies(epochs -> assertThat(new HashSet<Object>(epochs)).hasSize(10));
  }

  @Test
  void aTaskThatCrashesItsOwnerTooOftenFails() {
    JobId id = submit(stage("a", "x"));
    for (int i = 0; i < TaskPolicy.DEFAULT.recoveryCeiling(); i++) {
      claimOne("a");
      crash();
      assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    }
    claimOne("a");
    crash();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.FAILED);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error())
        .isEqualTo("Job exceeded recovery ceiling after repeated daemon crashes");
  }

  @Test
  void progressResetsEarlierCrashes() {
    JobId id = submit(with(ContractJobs.ceiling(1), stage("a", "x")));
    for (int i = 0; i < 4; i++) {
      Claim claim = claimOne("a");
      assertThat(store.heartbeat(claim, true)).isEqualTo(ClaimSignal.CONTINUE);
      crash();
      assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    }
    assertThat(events(id)).extracting(LogEntry::fact).contains(new Fact.TaskProgressed(1, 1));
    claimOne("a");
    crash();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.FAILED);
  }

  @Test
  void aCompletedTaskResetsTheCrashesOfItsSiblings() {
    JobId id = submit(with(ContractJobs.ceiling(1), stage("a", "slow", "quick")));
    claim(2, "a");
    crash();
    List<Claim> claims = claim(2, "a");
    complete(claims.get(1), "done");
    crash();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    claimOne("a");
    crash();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.FAILED);
  }

  @Test
  void shutdownsAndPausesNeverCount() {
    JobId id = submit(with(ContractJobs.ceiling(0), stage("a", "x")));
    for (int i = 0; i < 5; i++) {
      store.release(claimOne("a"), "shutdown");
      reopen();
      assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    }
    complete(claimOne("a"), "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aPausedJobStaysPausedAndItsRunningTasksAreReleased() {
    JobId id = submit(stage("a", "x"));
    claimOne("a");
    store.pause(id, ANNA);
    crash();
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    store.resume(id, ANNA);
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    complete(claimOne("a"), "done");
  }

  @Test
  void recoveryDoesNotChangeEndedJobs() {
    JobId completed = submit(stage("a", "x"));
    complete(claimOne("a"), "done");
    JobId failed = submit(stage("a", "x", "y"));
    fail(claim(2, "a").getFirst(), "broken");
    JobId aborted = submit(stage("a", "x"));
    claimOne("a");
    store.abort(aborted, ANNA);
    List<Object> before = List.of(everything(completed), everything(failed), everything(aborted));
    clock.advance(MINUTE);
    crash();
    reopen();
    assertThat(List.of(everything(completed), everything(failed), everything(aborted)))
        .isEqualTo(before);
  }

  @Test
  void aSecondCrashFindsNothingMoreToDo() {
    JobId running = submit(stage("a", "x"));
    claimOne("a");
    JobId waiting = submit(stage("a", "y"));
    crash();
    List<Object> before = List.of(everything(running), everything(waiting));
    clock.advance(MINUTE);
    crash();
    crash();
    assertThat(List.of(everything(running), everything(waiting))).isEqualTo(before);
  }

  @Test
  void entryNumbersContinueWithoutAGap() {
    JobId id =
        submit(
            with(ContractJobs.ceiling(50), with(ContractJobs.attempts(9), stage("a", "x", "y"))));
    for (int i = 0; i < 5; i++) {
      claim(2, "a");
      crash();
      store.pause(id, ANNA);
      reopen();
      store.resume(id, ANNA);
    }
    List<LogEntry> events = events(id);
    for (int i = 0; i < events.size(); i++) {
      assertThat(events.get(i).number()).isEqualTo(i + 1);
    }
    assertThat(view(id).lastEvent()).isEqualTo(events.size());
  }

  @Test
  void theClaimOrderSurvives() {
    JobId first = submit(stage("a", "x"));
    clock.advance(SECOND);
    JobId second = submit(stage("a", "x"));
    claim(2, "a");
    crash();
    assertThat(claim(9, "a")).extracting(Claim::job).containsExactly(first, second);
  }

  private JobId bad;
  private JobId good;
  private Damage damage;

  /** The first of two jobs is damaged while no store is open. */
  private void damageFirst() {
    bad = submit(ContractJobs.stage("a", "bad"));
    good = submit(ContractJobs.stage("a", "good"));
    store.close();
    damage = fixture().damage(bad);
    store = fixture().open(settings());
  }

  @Test
  void theStoreOpensAndOtherJobsRun() {
    damageFirst();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(good);
    assertNothingToClaim("a");
    assertThat(store.sweep()).isZero();
    assertThat(state(bad)).isEqualTo(JobState.PENDING);
    damage.repair();
  }

  @Test
  void aLeverOnItIsRefusedAndNamesIt() {
    damageFirst();
    for (int time = 0; time < 2; time++) {
      assertThatThrownBy(() -> store.abort(bad, ANNA))
          .isInstanceOf(JobException.class)
          .hasMessageContaining(bad.value())
          .hasMessageNotContaining("\n");
    }
    damage.repair();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void itIsCountedAsUnreadable() {
    damageFirst();
    while (!store.statusCounts().complete()) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> store.abort(bad, ANNA)).isInstanceOf(JobException.class);
    StatusCounts counts = store.statusCounts();
    assertThat(counts.unreadable()).isEqualTo(1);
    assertThat(counts.jobs()).containsEntry(JobState.PENDING, 2L);
    damage.repair();
  }

  @Test
  void onceRepairedItRuns() {
    damageFirst();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(good);
    damage.repair();
    clock.advance(Duration.ofMinutes(10));
    store.sweep();
    assertThat(claim(10, "a")).extracting(Claim::job).containsExactly(bad);
  }

  @Test
  void anEndedOneCanBeDeleted() {
    bad = submit(ContractJobs.stage("a", "bad"));
    store.abort(bad, ANNA);
    store.close();
    damage = fixture().damage(bad);
    store = fixture().open(settings());
    assertThat(store.delete(bad).isDone()).isTrue();
    assertThat(store.state(bad)).isEmpty();
  }
}
