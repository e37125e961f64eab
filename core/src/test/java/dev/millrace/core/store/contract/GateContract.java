package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.gate;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stages that wait for a user: gates and holds. */
abstract class GateContract extends ContractCase {

  @Test
  void aGateIsClosedUntilAUserApproves() {
    JobId id = submit(stage("a", "x"), gate(stage("b", "y")));
    assertThat(stageState(id, 2)).isEqualTo(StageState.WAITING);
    complete(claimOne("a"), "done");
    assertThat(stageState(id, 2)).isEqualTo(StageState.WAITING);
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    assertNothingToClaim("b");
    crash();
    assertNothingToClaim("b");
    assertThat(store.approve(id, 2, ANNA).isDone()).isTrue();
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
    crash();
    complete(claimOne("b"), "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    assertThat(events(id))
        .extracting(LogEntry::fact)
        .contains(new Fact.StageChanged(2, StageEvent.APPROVE, ANNA, null));
  }

  @Test
  void jobsThatWaitForAnApprovalAreFound() {
    JobId first = submit(gate(stage("a", "x")));
    JobId later = submit(stage("b", "x"), gate(stage("c", "y")), gate(stage("d", "z")));
    JobId paused = submit(gate(stage("a", "x")));
    store.pause(paused, ANNA);
    JobId held = submit(stage("e", "x"));
    submit(stage("e", "x"));
    assertThat(waiting()).containsExactly(first);
    complete(claimOne("b"), "done");
    assertThat(store.hold(held, 1, ANNA).isDone()).isTrue();
    assertThat(waiting()).containsExactly(first, later, held);
    assertThat(store.find(later).orElseThrow().stageAtGate().orElseThrow().number()).isEqualTo(2);
    crash();
    assertThat(waiting()).containsExactly(first, later, held);
    assertThat(store.list(Query.waitingForApproval().newest(1))).containsExactly(held);
    store.approve(first, 1, ANNA);
    store.abort(held, ANNA);
    store.resume(paused, ANNA);
    assertThat(waiting()).containsExactly(later, paused);
    store.approve(later, 2, ANNA);
    assertThat(waiting()).containsExactly(paused);
    complete(claimOne("c"), "done");
    assertThat(store.find(later).orElseThrow().stageAtGate().orElseThrow().number()).isEqualTo(3);
    assertThat(waiting()).containsExactly(later, paused);
  }

  private List<JobId> waiting() {
    return store.list(Query.waitingForApproval());
  }

  @Test
  void aGateOnTheFirstStageHoldsTheWholeJob() {
    JobId id = submit(gate(stage("a", "x")));
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    assertNothingToClaim("a");
    assertThat(store.approve(id, 1, ANNA).isDone()).isTrue();
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aGateIsNotApprovedBeforeThePreviousStageIsCompleted() {
    JobId id = submit(stage("a", "x"), gate(stage("b", "y")));
    List<Object> before = everything(id);
    Outcome outcome = store.approve(id, 2, ANNA);
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).message()).contains("Previous stage is not COMPLETED");
    assertThat(everything(id)).isEqualTo(before);
  }

  @Test
  void onlyAWaitingStageIsApproved() {
    JobId id = submit(stage("a", "x"), gate(stage("b", "y")));
    assertThat(store.approve(id, 1, ANNA)).isInstanceOf(Outcome.Refused.class);
    assertThat(store.approve(id, 0, ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(store.approve(id, 3, ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(store.hold(id, 3, ANNA)).isInstanceOf(Outcome.Missing.class);
    workOff("a");
    assertThat(store.approve(id, 2, ANNA).isDone()).isTrue();
    assertThat(store.approve(id, 2, ANNA)).isInstanceOf(Outcome.Refused.class);
  }

  @Test
  void anApprovalDuringAPauseTakesEffectOnResume() {
    JobId id = submit(gate(stage("a", "x")));
    store.pause(id, ANNA);
    assertThat(store.approve(id, 1, ANNA).isDone()).isTrue();
    assertNothingToClaim("a");
    store.resume(id, ANNA);
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void noTaskOfAHeldStageIsClaimedUntilItIsApproved() {
    JobId id = submit(stage("a", "x", "y"));
    assertThat(store.hold(id, 1, ANNA).isDone()).isTrue();
    assertThat(stageState(id, 1)).isEqualTo(StageState.WAITING);
    assertThat(store.hold(id, 1, ANNA)).isInstanceOf(Outcome.Refused.class);
    assertNothingToClaim("a");
    crash();
    assertNothingToClaim("a");
    assertThat(store.approve(id, 1, ANNA).isDone()).isTrue();
    assertThat(stageState(id, 1)).isEqualTo(StageState.PENDING);
    workOff("a");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void whatFinishesInAHeldStageIsKeptAndTakesEffectOnApproval() {
    JobId id = submit(stage("a", "x", "y"), stage("b", "z"));
    List<Claim> claims = claim(2, "a");
    store.hold(id, 1, ANNA);
    assertThat(store.heartbeat(claims.getFirst(), false)).isEqualTo(ClaimSignal.PAUSE);
    claims.forEach(claim -> complete(claim, "done"));
    assertThat(stageState(id, 1)).isEqualTo(StageState.WAITING);
    assertNothingToClaim("a", "b");
    crash();
    assertThat(store.approve(id, 1, ANNA).isDone()).isTrue();
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
  }

  @Test
  void aStageThatHadStartedBeforeAHoldContinuesWhereItWas() {
    JobId id = submit(stage("a", "x", "y"));
    complete(claimOne("a"), "done");
    clock.advance(MINUTE);
    store.hold(id, 1, ANNA);
    store.approve(id, 1, ANNA);
    assertThat(stageState(id, 1)).isEqualTo(StageState.IN_PROGRESS);
    assertThat(view(id).stages().getFirst().startedAt()).isEqualTo(ManualClock.START);
  }

  @Test
  void aFailureInAHeldStageFailsTheJobOnApproval() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    store.hold(id, 1, ANNA);
    fail(claim, "broken");
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    store.approve(id, 1, ANNA);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aStageHeldBeforeItOpensBecomesAGate() {
    JobId id = submit(stage("a", "x"), stage("b", "y"));
    assertThat(store.hold(id, 2, ANNA).isDone()).isTrue();
    workOff("a");
    assertThat(stageState(id, 2)).isEqualTo(StageState.WAITING);
    assertNothingToClaim("b");
    assertThat(store.approve(id, 2, ANNA).isDone()).isTrue();
    workOff("b");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aCompletedStageCannotBeHeld() {
    JobId id = submit(stage("a", "x"), stage("b", "y"));
    workOff("a");
    Outcome outcome = store.hold(id, 1, ANNA);
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).message()).contains("stage", "HOLD", "COMPLETED");
  }
}
