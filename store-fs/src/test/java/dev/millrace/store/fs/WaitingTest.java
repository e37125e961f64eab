package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.store.fs.SimDisk.What;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that have not begun, more of them than the owner keeps in memory. */
class WaitingTest {
  private final Rig rig = Rig.fresh();

  /** So many more come that the first ones are let go. */
  private void othersCome() {
    rig.later(Specs.MINUTE);
    for (int i = 0; i < Waiting.MOST; i++) {
      rig.store.submit(Specs.open(Specs.stage("b")));
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
    JobId id = rig.submit(Specs.open());
    rig.addStage(id, stage);
    if (more.length > 0) {
      rig.addTasks(id, 1, more);
    }
    return id;
  }

  @Test
  void onlyThoseStayThatSomebodyHadToDoWithOfLate() {
    JobId first = growing(Specs.stage("a", "1"));
    JobId second = growing(Specs.stage("a", "1"));
    assertThat(isInMemory(first)).isTrue();
    othersCome();
    assertThat(isInMemory(first)).isFalse();
    assertThat(isInMemory(second)).isFalse();
    rig.addTasks(second, 1, TaskSpec.of("2"));
    assertThat(isInMemory(second)).isTrue();
    assertThat(rig.store.find(first).orElseThrow().stages().getFirst().total()).isEqualTo(1);
  }

  @Test
  void oneThatWasLetGoIsCountedClaimedAndGrowsAsBefore() {
    JobId id = growing(Specs.stage("a", "1"), TaskSpec.of("2"), Specs.task("3", 2));
    othersCome();
    assertThat(rig.store.census().lines())
        .filteredOn(line -> line.type().equals("a"))
        .singleElement()
        .satisfies(line -> assertThat(line.pending()).isEqualTo(3));
    assertThat(rig.store.queuePlace(id).orElseThrow().ahead()).isZero();
    rig.addTasks(id, 1, TaskSpec.of("4"));
    assertThat(rig.claim(10)).extracting(Claim::inputText).containsExactly("1", "2", "3", "4");
    rig.claims.forEach(rig::complete);
    assertThat(rig.store.state(id)).contains(JobState.COMPLETED);
    Checks.hold(rig.disk, Rig.PLACES, rig.store);
  }

  @Test
  void aClaimOfOneThatWasLetGoSyncsNoMoreThanThatOfAnyOther() {
    JobId kept = growing(Specs.stage("a", "1"));
    int whileKept = syncs(() -> rig.claim(1));
    JobId letGo = growing(Specs.stage("a", "1"));
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
  void itsTasksAreNotForgottenByTheirTimeouts() {
    TaskPolicy hour = Specs.queueTimeout(Duration.ofHours(1));
    StageSpec stage = Specs.with(hour, Specs.job(Specs.stage("a", "1"))).stages().getFirst();
    JobId id = growing(stage);
    rig.later(Specs.MINUTE);
    rig.addTasks(id, 1, TaskSpec.of("2"));
    othersCome();
    rig.later(Duration.ofHours(1).minus(Specs.MINUTE.multipliedBy(2)).minusMillis(1));
    logsMustNotBeRead();
    assertThat(rig.sweep()).as("nothing is due, so nothing is read").isZero();
    rig.disk.heal();
    rig.later(Duration.ofMillis(1));
    assertThat(rig.sweep()).isEqualTo(1);
    assertThat(rig.store.state(id)).contains(JobState.FAILED);
  }

  @Test
  void oneWithNothingToClaimIsReadOnceAndKnownFromThenOn() {
    JobId empty = rig.submit(Specs.open());
    JobId gated = rig.submit(Specs.job(Specs.gate(Specs.stage("a", "1"))));
    othersCome();
    Rig after = new Rig(rig.disk.afterKill(), rig.clock.instant(), 8);
    after.disk.failBy(
        op ->
            op.what() == What.READ && op.path().endsWith(StagedDocument.FILE)
                ? new IOException("a job is read again")
                : null);
    List<JobId> told = new ArrayList<>();
    after.store.onChange(told::add);
    LogTap log = LogTap.open();
    JobId fresh = after.submit(Specs.plain("x"));
    assertThat(after.store.idle(Set.of("a"))).isTrue(); // lists the ready jobs, for one has come
    log.close();
    assertThat(told).containsOnly(fresh);
    assertThat(log.lines()).isEmpty();
    after.disk.heal();
    after.approve(gated, 1);
    after.addStage(empty, Specs.stage("a", "2"));
    assertThat(after.claim(9)).extracting(Claim::job).contains(gated, empty);
  }
}
