package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.job;
import static dev.millrace.core.store.contract.ContractJobs.priority;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claiming tasks: which ones, in which order, and what a claim contains. */
abstract class ClaimContract extends ContractCase {

  private JobId submitAt(Priority priority) {
    return store.submit(priority(priority, job(stage("a", "x"))));
  }

  private List<JobId> claimedJobs() {
    return claim(100, "a").stream().map(Claim::job).toList();
  }

  @Test
  void jobsAreClaimedByPriority() {
    List<JobId> ids =
        Stream.of(
                Priority.LOW, Priority.VERY_HIGH, Priority.MEDIUM, Priority.VERY_LOW, Priority.HIGH)
            .map(this::submitAt)
            .toList();
    assertThat(claimedJobs())
        .containsExactly(ids.get(1), ids.get(4), ids.get(2), ids.get(0), ids.get(3));
  }

  @Test
  void insideAPriorityTheOldestIsFirst() {
    JobId first = submitAt(Priority.MEDIUM);
    JobId sameInstant = submitAt(Priority.MEDIUM);
    clock.advance(Duration.ofNanos(1_000));
    JobId third = submitAt(Priority.MEDIUM);
    crash();
    assertThat(claimedJobs()).containsExactly(first, sameInstant, third);
  }

  @Test
  void anOldJobOvertakesYoungerOnesOfHigherPriority() {
    JobId low = submitAt(Priority.LOW);
    clock.advance(Priority.AGEING.multipliedBy(2).minusMillis(1));
    JobId before = submitAt(Priority.HIGH);
    clock.advance(Duration.ofMillis(2));
    JobId after = submitAt(Priority.HIGH);
    assertThat(claimedJobs()).containsExactly(before, low, after);
  }

  @Test
  void atTheSameRankTheLowerIdIsFirst() {
    JobId low = submitAt(Priority.MEDIUM);
    clock.advance(Priority.AGEING);
    JobId high = submitAt(Priority.HIGH);
    assertThat(claimedJobs()).containsExactly(low, high);
  }

  @Test
  void aClockThatWasSetBackPutsALaterJobFirst() {
    JobId first = submitAt(Priority.MEDIUM);
    clock.jump(Duration.ofHours(-1));
    JobId second = submitAt(Priority.MEDIUM);
    assertThat(claimedJobs()).containsExactly(second, first);
  }

  @Test
  void tasksOfAJobAreClaimedInTheirOrderRetriedOnesToo() {
    JobId id = submit(ContractJobs.tasks("a", 4));
    List<Claim> two = claim(2, "a");
    assertThat(two).extracting(claim -> claim.key().task()).containsExactly(1, 2);
    store.release(two.get(0), "shutdown");
    assertThat(claim(10, "a")).extracting(claim -> claim.key().task()).containsExactly(1, 3, 4);
    assertThat(view(id).stages().getFirst().tasks()).containsEntry(TaskState.IN_PROGRESS, 4);
  }

  @Test
  void aClaimTakesTasksJobByJobUpToItsLimit() {
    JobId first = submit(ContractJobs.tasks("a", 3));
    clock.advance(SECOND);
    JobId second = submit(ContractJobs.tasks("a", 3));
    assertThat(claim(4, "a"))
        .extracting(Claim::toString)
        .containsExactly(first + "/1/1", first + "/1/2", first + "/1/3", second + "/1/1");
    assertThat(claim(1, "a")).hasSize(1);
    assertThat(claim(9, "a")).hasSize(1);
    assertNothingToClaim("a");
  }

  @Test
  void onlyTheTypesAskedForAreClaimed() {
    JobId a = submit(stage("a", "x"));
    JobId b = submit(stage("b", "x"));
    submit(stage("c", "x"));
    assertThat(claim(9, "none")).isEmpty();
    assertThat(store.claim(new ClaimRequest(Set.of(), 9, "w", null))).isEmpty();
    assertThat(claim(9, "a", "b")).extracting(Claim::job).containsExactly(a, b);
    assertNothingToClaim("a", "b");
  }

  @Test
  void aRequestForOneJobTakesItsTasksOnlyWhateverItsPlace() {
    JobId first = submit(stage("a", "x"));
    JobId wanted = submit(ContractJobs.tasks("a", 2));
    ClaimRequest any = new ClaimRequest(Set.of("a"), 9, "w", null);
    assertThat(store.claim(new ClaimRequest(Set.of("b"), 9, "w", null).ofJob(wanted))).isEmpty();
    assertThat(store.claim(any.ofJob(new JobId("1")))).isEmpty();
    assertThat(store.claim(any.ofJob(wanted)))
        .extracting(Claim::toString)
        .containsExactly(wanted + "/1/1", wanted + "/1/2");
    assertThat(store.claim(any.ofJob(wanted))).isEmpty();
    assertThat(claimedJobs()).containsExactly(first);
    assertNothingToClaim("a");
  }

  @Test
  void aRequestForAnEndedOrPausedJobGetsNothing() {
    ClaimRequest any = new ClaimRequest(Set.of("a"), 9, "w", null);
    JobId ended = submit(stage("a", "x"));
    complete(claimOne("a"), "y");
    assertThat(store.claim(any.ofJob(ended))).isEmpty();
    JobId paused = submit(stage("a", "x"));
    store.pause(paused, ANNA);
    assertThat(store.claim(any.ofJob(paused))).isEmpty();
    store.resume(paused, ANNA);
    assertThat(store.claim(any.ofJob(paused))).hasSize(1);
  }

  @Test
  void anEmptyStoreHasNothingToClaim() {
    assertNothingToClaim("a");
    assertThat(store.sweep()).isZero();
    assertThat(store.isIdle(Set.of("a"))).isTrue();
  }

  @Test
  void theFirstClaimStartsTaskStageAndJob() {
    JobId id = submit(stage("a", "x", "y"));
    clock.advance(SECOND);
    Claim claim = claimOne("a");
    clock.advance(SECOND);
    claimOne("a");

    assertThat(view(id).state()).isEqualTo(JobState.IN_PROGRESS);
    assertThat(view(id).startedAt()).isEqualTo(ManualClock.START.plusSeconds(1));
    assertThat(view(id).stages().getFirst().state()).isEqualTo(StageState.IN_PROGRESS);
    assertThat(view(id).stages().getFirst().startedAt()).isEqualTo(view(id).startedAt());
    assertThat(task(id, 1, 1).startedAt()).isEqualTo(view(id).startedAt());
    assertThat(task(id, 1, 1).worker()).isEqualTo("worker");
    assertThat(task(id, 1, 2).startedAt()).isEqualTo(ManualClock.START.plusSeconds(2));
    assertThat(claim.key().token().number()).as("number of the claim's event").isEqualTo(2);
    assertThat(events(id).get(2).fact())
        .isEqualTo(
            new Fact.StageChanged(1, dev.millrace.core.stage.StageEvent.BEGIN, Cause.SYSTEM, null));
    assertThat(events(id)).hasSize(5);
  }

  @Test
  void aClaimHasWhatTheWorkerNeeds() {
    JobId id =
        submit(
            ContractJobs.data(
                Json.object("{\"size\":3}"),
                ContractJobs.with(ContractJobs.runTimeout(2, MINUTE), stage("a", "text"))));
    Claim claim = claimOne("a");
    assertThat(claim.job()).isEqualTo(id);
    assertThat(claim.type()).isEqualTo("a");
    assertThat(claim.attempt()).isEqualTo(1);
    assertThat(claim.input()).isEqualTo("text");
    assertThat(claim.data()).isEqualTo(Json.object("{\"size\":3}"));
    assertThat(claim.runTimeout()).isEqualTo(MINUTE);
  }

  @Test
  void aStageIsClaimedOnlyOnceThePreviousOneIsCompleted() {
    JobId id = submit(ContractJobs.tasks("a", 2), stage("b", "x"));
    assertNothingToClaim("b");
    List<Claim> both = claim(2, "a");
    complete(both.get(0), "1");
    assertNothingToClaim("b");
    complete(both.get(1), "2");
    assertThat(stageState(id, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(id, 2)).isEqualTo(StageState.PENDING);
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    complete(claimOne("b"), "3");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void idleMeansThatNothingRunsOrWaitsToBeClaimed() {
    Set<String> types = Set.of("a");
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
    submit(stage("other", "x"));
    assertThat(store.isIdle(types)).as("it can be claimed").isFalse();
    Claim claim = claimOne("a");
    assertThat(store.isIdle(types)).as("it runs").isFalse();
    fail(claim, "broken");
    assertThat(store.isIdle(types)).as("it will be claimable after its backoff").isFalse();
    store.pause(id, ANNA);
    assertThat(store.isIdle(types)).as("a user holds it").isTrue();
    store.resume(id, ANNA);
    assertThat(store.isIdle(types)).isFalse();
    clock.advance(SECOND);
    Claim again = claimOne("a");
    store.pause(id, ANNA);
    assertThat(store.isIdle(types)).as("it still runs").isFalse();
    complete(again, "done");
    assertThat(store.isIdle(types)).isTrue();
    assertThat(store.isIdle(Set.of("a", "other"))).isFalse();
  }

  @Test
  void aGateLeavesTheStoreIdle() {
    submit(ContractJobs.gate(stage("a", "x")));
    assertThat(store.isIdle(Set.of("a"))).isTrue();
  }

  @Test
  void waitingForWorkEndsWhenAJobIsSubmitted() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          Thread submitter = Thread.ofVirtual().start(() -> submit(stage("a", "x")));
          List<Claim> claims = List.of();
          for (long seen = 0; claims.isEmpty(); ) {
            seen = store.awaitWork(seen, Duration.ofMinutes(10));
            claims = claim(1, "a");
          }
          submitter.join();
          assertThat(claims).hasSize(1);
        });
  }

  @Test
  void waitingForWorkEndsAtItsLimit() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> store.awaitWork(store.awaitWork(0, Duration.ofMinutes(10)), Duration.ofMillis(1)));
  }
}
