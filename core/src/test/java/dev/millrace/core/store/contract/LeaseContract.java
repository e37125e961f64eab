package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Claims of remote workers: they outlive the store's owner and end with their lease. */
abstract class LeaseContract extends ContractCase {

  private Claim leased(Duration lease) {
    List<Claim> claims = claim(1, lease, "a");
    assertThat(claims).hasSize(1);
    return claims.getFirst();
  }

  private Claim bare() {
    List<Claim> claims = store.claim(new ClaimRequest(Set.of("a"), 1, "stock", MINUTE, true));
    assertThat(claims).hasSize(1);
    return claims.getFirst();
  }

  @Test
  void aLeasedClaimOutlivesItsOwnerAndItsTokenStillAnswers() {
    JobId id = submit(stage("a", "1", "2", "3", "4"));
    Claim completed = leased(MINUTE);
    Claim released = leased(MINUTE);
    Claim failed = leased(MINUTE);
    Claim owned = claimOne("a");
    crash();
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(TaskView::state)
        .containsExactly(
            TaskState.IN_PROGRESS, TaskState.IN_PROGRESS, TaskState.IN_PROGRESS, TaskState.RETRIED);
    assertEveryAnswerIs(Outcome.Fenced.class, owned);
    assertThat(store.heartbeat(completed, false)).isEqualTo(ClaimSignal.CONTINUE);
    reopen();
    store.log(completed, "info", "still here");
    complete(completed, "done");
    assertThat(store.release(released, "enough")).isEqualTo(Outcome.DONE);
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.RETRIED);
    fail(failed, "broken");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertEveryAnswerIs(Outcome.Fenced.class, completed);
  }

  @Test
  void aNewOwnerGrantsTheWholeLeaseAgain() {
    JobId id = submit(stage("a", "x"));
    Claim claim = leased(MINUTE);
    clock.advance(Duration.ofHours(5)); // the old owner is gone, and no one renews
    crash();
    assertThat(store.sweep()).isZero();
    clock.advance(MINUTE.minusMillis(1));
    assertThat(store.sweep()).isZero();
    clock.advance(Duration.ofMillis(1));
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(store.heartbeat(claim, true)).isEqualTo(ClaimSignal.LOST);
    assertEveryAnswerIs(Outcome.Fenced.class, claim);
    complete(claimOne("a"), "done");
  }

  @Test
  void aHeartbeatRenewsTheLeaseUnderTheNewOwnerToo() {
    JobId id = submit(stage("a", "x"));
    Claim claim = leased(MINUTE);
    crash();
    for (int i = 0; i < 5; i++) {
      clock.advance(MINUTE.minusMillis(1));
      assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CONTINUE);
      assertThat(store.sweep()).isZero();
    }
    complete(claim, "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void leasesLostUnderManyOwnersReachTheCeiling() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(1), stage("a", "x")));
    for (int i = 0; i < 2; i++) {
      leased(MINUTE);
      crash();
      clock.advance(MINUTE);
      assertThat(store.sweep()).isEqualTo(1);
    }
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error()).contains("recovery ceiling after repeatedly lost leases");
  }

  @Test
  void aChangeOfOwnersIsNoCrashOfALeasedTask() {
    submit(ContractJobs.with(ContractJobs.ceiling(0), stage("a", "x")));
    Claim claim = leased(MINUTE);
    for (int i = 0; i < 5; i++) {
      crash();
    }
    complete(claim, "done");
  }

  @Test
  void aLeaseLivesThroughPauseAndAbort() {
    JobId id = submit(stage("a", "x"));
    Claim claim = leased(MINUTE);
    store.pause(id, ANNA);
    crash();
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.PAUSE);
    store.abort(id, ANNA);
    crash();
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CANCEL);
    assertEveryAnswerIs(Outcome.Cancelled.class, claim);
  }

  @Test
  void thePresentClaimIsFoundByItsTask() {
    JobId id = submit(ContractJobs.with(ContractJobs.runTimeout(2, MINUTE), stage("a", "x", "y")));
    assertThat(store.findClaim(id, 1, 1)).isEmpty();
    Claim claim = leased(Duration.ofSeconds(90));
    Claim held = store.findClaim(id, 1, 1).orElseThrow();
    assertThat(held).isEqualTo(claim);
    assertThat(held.lease()).isEqualTo(Duration.ofSeconds(90));
    assertThat(held.tokenless()).isFalse();
    assertThat(held.runTimeout()).isEqualTo(MINUTE);
    assertThat(held.view()).isEqualTo(task(id, 1, 1));
    assertThat(held.view().token()).isEqualTo(claim.key().token());
    crash();
    assertThat(store.findClaim(id, 1, 1)).contains(claim);
    complete(held, "done");
    assertThat(store.findClaim(id, 1, 1)).isEmpty();
    for (int odd : new int[] {0, 3, -1}) {
      assertThat(store.findClaim(id, 1, odd)).isEmpty();
      assertThat(store.findClaim(id, odd, 1)).isEmpty();
    }
    assertThat(store.findClaim(new JobId("1_2_3"), 1, 1)).isEmpty();
  }

  @Test
  void aClaimWithoutALeaseIsFoundToo() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    assertThat(claim.lease()).isNull();
    assertThat(store.findClaim(id, 1, 1)).contains(claim);
    crash();
    assertThat(store.findClaim(id, 1, 1)).isEmpty();
  }

  @Test
  void aTokenlessWorkersClaimIsFoundByItsTask() {
    JobId id = submit(stage("a", "x", "y"));
    Claim claim = bare();
    assertThat(claim.tokenless()).isTrue();
    crash();
    Claim held = store.findClaim(id, 1, 1).orElseThrow();
    assertThat(held.tokenless()).isTrue();
    assertThat(held.view().worker()).isEqualTo("stock");
    complete(held, "done");
    Claim second = bare();
    clock.advance(MINUTE);
    assertThat(store.sweep()).isEqualTo(1);
    assertThat(store.findClaim(id, second.key().stage(), second.key().task())).isEmpty();
  }

  @Test
  void aLeaseHasWholeMillisecondsAndATokenlessClaimNeedsOne() {
    submit(stage("a", "x"));
    Claim claim = leased(Duration.ofNanos(1_999_999));
    assertThat(claim.lease()).isEqualTo(Duration.ofMillis(1));
    crash();
    assertThat(store.findClaim(claim.job(), 1, 1)).contains(claim);
    Set<String> types = Set.of("a");
    assertThatThrownBy(() -> new ClaimRequest(types, 1, "w", null, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a lease");
    assertThatThrownBy(() -> new ClaimRequest(types, 1, "w", Duration.ofNanos(999_999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least a millisecond");
  }
}
