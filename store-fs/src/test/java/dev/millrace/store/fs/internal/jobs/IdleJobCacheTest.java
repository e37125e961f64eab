package dev.millrace.store.fs.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.store.IdleJobCache;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.StagedJobDocument;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** More idle jobs than the owner keeps in memory. */
class IdleJobCacheTest {
  private final SimulatedStore rig = SimulatedStore.fresh();

  /** Submits so many jobs that the first ones are dropped from memory. */
  private void othersCome() {
    rig.later(TestJobSpecs.MINUTE);
    for (int i = 0; i < IdleJobCache.MOST; i++) {
      rig.store.submit(TestJobSpecs.open(TestJobSpecs.stage("b")));
    }
  }

  private void logsMustNotBeRead() {
    rig.disk.failBy(
        op ->
            op.what() == What.READ && op.path().endsWith(EventLog.FILE)
                ? new IOException("a log is read")
                : null);
  }

  private boolean isInMemory(JobId id) {
    logsMustNotBeRead();
    try {
      rig.store.find(id);
      return true;
    } catch (StoreException e) {
      return false;
    } finally {
      rig.disk.heal();
    }
  }

  private JobId growing(StageSpec stage, TaskSpec... more) {
    JobId id = rig.submit(TestJobSpecs.open());
    rig.addStage(id, stage);
    if (more.length > 0) {
      rig.addTasks(id, 1, more);
    }
    return id;
  }

  @Test
  void onlyRecentlyUsedJobsStayInMemory() {
    JobId first = growing(TestJobSpecs.stage("a", "1"));
    JobId second = growing(TestJobSpecs.stage("a", "1"));
    assertThat(isInMemory(first)).isTrue();
    othersCome();
    assertThat(isInMemory(first)).isFalse();
    assertThat(isInMemory(second)).isFalse();
    rig.addTasks(second, 1, TaskSpec.of("2"));
    assertThat(isInMemory(second)).isTrue();
    assertThat(rig.store.find(first).orElseThrow().stages().getFirst().total()).isEqualTo(1);
  }

  @Test
  void aDroppedJobCanStillBeCountedClaimedAndExtended() {
    JobId id = growing(TestJobSpecs.stage("a", "1"), TaskSpec.of("2"), TestJobSpecs.task("3", 2));
    othersCome();
    assertThat(rig.store.queueStats().types())
        .filteredOn(line -> line.type().equals("a"))
        .singleElement()
        .satisfies(line -> assertThat(line.pending()).isEqualTo(3));
    assertThat(rig.store.queuePosition(id).orElseThrow().ahead()).isZero();
    rig.addTasks(id, 1, TaskSpec.of("4"));
    assertThat(rig.claim(10)).extracting(Claim::inputText).containsExactly("1", "2", "3", "4");
    rig.claims.forEach(rig::complete);
    assertThat(rig.store.state(id)).contains(JobState.COMPLETED);
    WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
  }

  @Test
  void claimingADroppedJobNeedsNoMoreSyncs() {
    JobId kept = growing(TestJobSpecs.stage("a", "1"));
    int whileKept = syncs(() -> rig.claim(1));
    JobId letGo = growing(TestJobSpecs.stage("a", "1"));
    othersCome();
    assertThat(isInMemory(letGo)).isFalse();
    assertThat(syncs(() -> rig.claim(1))).isEqualTo(whileKept);
    assertThat(rig.claims).extracting(Claim::job).containsExactly(kept, letGo);
  }

  private int syncs(Runnable act) {
    AtomicInteger syncs = new AtomicInteger();
    rig.disk.failBy(
        op -> {
          syncs.addAndGet(op.what().syncs() ? 1 : 0);
          return null;
        });
    act.run();
    rig.disk.heal();
    return syncs.get();
  }

  @Test
  void queueTimeoutsOfDroppedJobsStillApply() {
    TaskPolicy hour = TestJobSpecs.queueTimeout(Duration.ofHours(1));
    StageSpec stage =
        TestJobSpecs.with(hour, TestJobSpecs.job(TestJobSpecs.stage("a", "1"))).stages().getFirst();
    JobId id = growing(stage);
    rig.later(TestJobSpecs.MINUTE);
    rig.addTasks(id, 1, TaskSpec.of("2"));
    othersCome();
    rig.later(Duration.ofHours(1).minus(TestJobSpecs.MINUTE.multipliedBy(2)).minusMillis(1));
    logsMustNotBeRead();
    assertThat(rig.sweep()).as("nothing is due, so nothing is read").isZero();
    rig.disk.heal();
    rig.later(Duration.ofMillis(1));
    assertThat(rig.sweep()).isEqualTo(1);
    assertThat(rig.store.state(id)).contains(JobState.FAILED);
  }

  @Test
  void aJobWithNothingToClaimIsReadOnlyOnce() {
    JobId empty = rig.submit(TestJobSpecs.open());
    JobId gated = rig.submit(TestJobSpecs.job(TestJobSpecs.gate(TestJobSpecs.stage("a", "1"))));
    othersCome();
    SimulatedStore after = new SimulatedStore(rig.disk.afterKill(), rig.clock.instant(), 8);
    after.disk.failBy(
        op ->
            op.what() == What.READ && op.path().endsWith(StagedJobDocument.FILE)
                ? new IOException("a job is read again")
                : null);
    List<JobId> told = new ArrayList<>();
    after.store.onChange(told::add);
    CapturedLog log = CapturedLog.open();
    JobId fresh = after.submit(TestJobSpecs.plain("x"));
    assertThat(after.store.isIdle(Set.of("a")))
        .isTrue(); // lists the ready jobs, because one is new
    log.close();
    assertThat(told).containsOnly(fresh);
    assertThat(log.lines()).isEmpty();
    after.disk.heal();
    after.approve(gated, 1);
    after.addStage(empty, TestJobSpecs.stage("a", "2"));
    assertThat(after.claim(9)).extracting(Claim::job).contains(gated, empty);
  }

  /** A started job of which no worker has a task. */
  private JobId startedIdle(StageSpec stage) {
    JobId id = rig.submit(TestJobSpecs.job(stage));
    rig.release(rig.claim(1).getFirst());
    return id;
  }

  @Test
  void startedJobsAreDroppedAndClaimedAgain() {
    JobId id = startedIdle(TestJobSpecs.stage("a", "1", "2"));
    assertThat(isInMemory(id)).isTrue();
    othersCome();
    assertThat(isInMemory(id)).isFalse();
    assertThat(rig.store.isIdle(Set.of("a"))).isFalse();
    assertThat(rig.store.queueStats().types())
        .filteredOn(line -> line.type().equals("a"))
        .singleElement()
        .satisfies(line -> assertThat(line.pending()).isEqualTo(2));
    List<Claim> again = rig.claim(10);
    assertThat(again).extracting(Claim::inputText).containsExactly("1", "2");
    again.forEach(rig::complete);
    assertThat(rig.store.state(id)).contains(JobState.COMPLETED);
    WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
  }

  @Test
  void aRunningJobStaysInMemory() {
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    rig.claim(1);
    othersCome();
    assertThat(isInMemory(id)).isTrue();
  }

  @Test
  void aDroppedJobKeepsItsBackoff() {
    Duration half = Duration.ofMinutes(30);
    TaskPolicy slow = new TaskPolicy(3, new Backoff(half, 1, half, 0), null, null, 3);
    JobSpec job = TestJobSpecs.job(TestJobSpecs.stage("a", "1"));
    JobId id = rig.submit(TestJobSpecs.with(slow, job));
    rig.fail(rig.claim(1).getFirst(), Failure.of("later"));
    othersCome();
    assertThat(isInMemory(id)).isFalse();
    assertThat(rig.claim(1)).isEmpty();
    rig.later(Duration.ofHours(1));
    assertThat(rig.claim(1)).extracting(Claim::job).containsExactly(id);
  }

  @Test
  void queueTimeoutsOfDroppedStartedJobsStillApply() {
    TaskPolicy hour = TestJobSpecs.queueTimeout(Duration.ofHours(1));
    JobId id =
        startedIdle(
            TestJobSpecs.with(hour, TestJobSpecs.job(TestJobSpecs.stage("a", "1")))
                .stages()
                .getFirst());
    othersCome();
    assertThat(isInMemory(id)).isFalse();
    rig.later(Duration.ofMinutes(58));
    assertThat(rig.sweep()).isZero();
    rig.later(Duration.ofMinutes(2));
    assertThat(rig.sweep()).isEqualTo(1);
    assertThat(rig.store.state(id)).contains(JobState.FAILED);
  }

  @Test
  void largeJobsStayInMemoryOnlyWhileThereIsRoom() {
    JsonObject many = JsonObject.create();
    for (int i = 0; i < 100_000; i++) {
      many.put("n" + i, i);
    }
    JobSpec large = TestJobSpecs.open().toBuilder().metadata(many).build();
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 6; i++) { // about 20 MB each
      ids.add(rig.submit(large));
      rig.addStage(ids.getLast(), TestJobSpecs.stage("a", "1"));
    }
    assertThat(isInMemory(ids.getFirst())).isFalse();
    assertThat(isInMemory(ids.getLast())).isTrue();
  }

  @Test
  void aClaimEndsAfterAFewMegabytesOfInput() {
    List<Integer> numbers = Collections.nCopies(100_000, 7); // about 10 MB in memory
    rig.submit(
        JobSpec.of(List.of(StageSpec.of("a", Collections.nCopies(5, TaskSpec.of(numbers))))));
    assertThat(rig.claim(10)).hasSize(2);
    assertThat(rig.claim(10)).hasSize(2);
    assertThat(rig.claim(10)).hasSize(1);
  }
}
