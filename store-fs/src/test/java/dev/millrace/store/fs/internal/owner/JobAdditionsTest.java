package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.fixture.JobFinisher;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import dev.millrace.store.fs.internal.read.FsReader;
import dev.millrace.store.fs.internal.submit.FsSubmitter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Additions to open jobs, claims that outlive their owner, and what the owner keeps in memory. */
class JobAdditionsTest {
  private static final Duration LEASE = Duration.ofMinutes(30);

  private static SimulatedStore next(SimulatedStore rig, SimDisk disk, long process) {
    return new SimulatedStore(disk, rig.clock.instant(), process);
  }

  private static SimDisk lost(SimulatedStore rig) {
    return rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
  }

  @Test
  void aLeasedClaimIsAnsweredUnderTheNextOwner() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2", "3")));
    List<Claim> leased = rig.lease(2, LEASE);
    Claim bound = rig.claim(1).getFirst();
    rig.later(LEASE.minusSeconds(1));
    SimulatedStore after = next(rig, lost(rig), 8);
    Claim held = after.store.findClaim(id, 1, 1).orElseThrow();
    assertThat(held).isEqualTo(leased.getFirst());
    assertThat(held.tokenless()).isTrue();
    assertThat(after.store.findClaim(id, 1, 3)).as("it ended with its owner").isEmpty();
    after.later(LEASE.minusSeconds(1));
    assertThat(after.sweep()).as("the whole lease is granted again").isZero();
    after.complete(leased.getFirst());
    after.later(Duration.ofSeconds(1));
    assertThat(after.sweep()).isEqualTo(1);
    assertThat(after.store.findClaim(id, 1, 2)).isEmpty();
    assertThat(after.store.complete(leased.get(1), SimulatedStore.answerOf(leased.get(1))))
        .isInstanceOf(Outcome.Fenced.class);
    assertThat(after.store.complete(bound, SimulatedStore.answerOf(bound)))
        .isInstanceOf(Outcome.Fenced.class);
    assertThat(after.store.task(id, 1, 1).orElseThrow().state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void aLeaseThatIsRenewedIsNotLost() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1")));
    Claim claim = rig.lease(1, LEASE).getFirst();
    for (int i = 0; i < 3; i++) {
      rig.later(LEASE.minusSeconds(1));
      rig.store.heartbeat(claim, false);
      assertThat(rig.sweep()).isZero();
    }
    rig.later(LEASE);
    assertThat(rig.sweep()).isEqualTo(1);
  }

  @Test
  void anotherPriorityCountsAtOnceAndAfterARestart() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId first = rig.submit(TestJobSpecs.plain("first"));
    JobId second = rig.submit(TestJobSpecs.plain("second"));
    rig.prioritize(second, Priority.VERY_HIGH);
    assertThat(rig.store.queuePosition(second).orElseThrow().ahead()).isZero();
    rig.prioritize(second, Priority.VERY_LOW);
    assertThat(rig.store.queuePosition(second).orElseThrow().ahead()).isEqualTo(1);
    rig.prioritize(second, Priority.VERY_HIGH);
    SimulatedStore after = next(rig, lost(rig), 8);
    assertThat(after.claim(2)).extracting(Claim::job).containsExactly(second, first);
    assertThat(after.store.find(second).orElseThrow().header().priority())
        .isEqualTo(Priority.VERY_HIGH);
  }

  @Test
  void whatTheOwnerShowsFromMemoryIsDurable() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    Claim claim = rig.claim(1).getFirst();
    rig.store.log(claim, "info", "half way");
    long seen = rig.store.find(id).orElseThrow().lastEvent();
    SimulatedStore after = next(rig, lost(rig), 8);
    assertThat(after.store.events(id, 0, 99))
        .filteredOn(entry -> entry.number() <= seen)
        .extracting(LogEntry::fact)
        .contains(new Fact.WorkerLogLine(1, 1, "info", "half way"));
  }

  @Test
  void readingAJobInMemoryNeitherReadsItsLogNorSyncs() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1", "2")));
    rig.addTasks(id, 1, TaskSpec.of("3"));
    Claim claim = rig.lease(1, LEASE).getFirst();
    List<LogEntry> log = rig.store.events(id, 0, 99);
    int before = rig.disk.operations();
    rig.disk.failBy(
        op -> op.path().endsWith(EventLog.FILE) ? new IOException("its log was touched") : null);
    assertThat(rig.store.find(id).orElseThrow().stages().getFirst().total()).isEqualTo(3);
    assertThat(rig.store.task(id, 1, 3).orElseThrow().input()).isEqualTo("3");
    assertThat(rig.store.tasks(id, 1, 1, 9)).hasSize(3);
    assertThat(rig.store.findClaim(id, 1, 1)).contains(claim);
    assertThat(rig.store.findClaim(id, 1, 2)).isEmpty();
    assertThat(rig.disk.operations()).isEqualTo(before);
    rig.disk.heal();
    rig.complete(claim);
    List<LogEntry> more = rig.store.events(id, log.size(), 99);
    assertThat(more.getFirst().number()).isEqualTo(log.size() + 1);
    assertThat(rig.store.events(id, log.size(), 1)).isEqualTo(more.subList(0, 1));
    assertThat(rig.store.events(id, 99, 9)).isEmpty();
    assertThat(
            new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM)
                .events(id, log.size(), 99))
        .isEqualTo(more);
  }

  @Test
  void taskLinesWithoutAnEntryAreCutOff() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1")));
    var file = SimulatedStore.PLACES.of(JobState.PENDING, id).resolve("stages/1-a/tasks.jsonl");
    rig.disk.append(file, StrictUtf8.bytes("{\"input\":\"never counted\"}\n{\"input\":\"to"));
    SimulatedStore after = next(rig, rig.disk.afterKill(), 8);
    assertThat(after.store.tasks(id, 1, 1, 9)).hasSize(1);
    Added added =
        after.store.addTasks(
            id, 1, List.of(TaskSpec.of("2"), TaskSpec.of("3")), SimulatedStore.ANNA);
    assertThat(added).isEqualTo(new Added(Outcome.DONE, 2));
    assertThat(after.store.tasks(id, 1, 1, 9))
        .extracting(task -> task.input())
        .containsExactly("1", "2", "3");
    assertThat(after.store.spec(id).orElseThrow().stages().getFirst().tasks())
        .isEqualTo(List.of(TaskSpec.of("1"), TaskSpec.of("2"), TaskSpec.of("3")));
  }

  @Test
  void aFaultAtAnyOperationOfAnAdditionLeavesTheJobWhole() {
    SimulatedStore whole = SimulatedStore.fresh();
    JobId id = whole.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1")));
    int first = whole.disk.operations() + 1;
    additions(whole, id);
    int last = whole.disk.operations();
    for (int n = first; n <= last; n++) {
      int bad = n;
      SimulatedStore rig = SimulatedStore.fresh();
      rig.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1")));
      rig.disk.failBy(
          op ->
              op.number() == bad && !op.what().syncs()
                  ? new IOException("No space left on device")
                  : null);
      int told = rig.acknowledged();
      try {
        additions(rig, id);
      } catch (StoreException e) {
        assertThat(e).hasMessageContaining("No space left");
      }
      rig.disk.heal();
      String where = "fault at " + whole.disk.operation(n);
      int tasks = rig.store.find(id).orElseThrow().stages().getFirst().total();
      assertThat(tasks).as(where).isEqualTo(rig.acknowledged() - told >= 1 ? 3 : 1);
      rig.addTasks(id, 1, TaskSpec.of("last"));
      assertThat(rig.store.task(id, 1, tasks + 1).orElseThrow().input()).isEqualTo("last");
      WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
      JobFinisher.drive(rig);
      assertThat(rig.store.state(id)).as(where).contains(JobState.COMPLETED);
    }
  }

  private static void additions(SimulatedStore rig, JobId id) {
    rig.addTasks(id, 1, TestJobSpecs.task("2", 2), TaskSpec.of("3"));
    rig.addStage(id, TestJobSpecs.stage("b", "4"));
  }

  @Test
  void manySubmissionsUnderOneIdMakeOneJob() throws Exception {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = JobId.of(1_767_225_600_000_000L, 77, 1);
    // Two processes, several threads each, and an owner that moves the job at once.
    List<FsSubmitter> processes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      GroupCommit commits = new GroupCommit(rig.disk, Threading.SYSTEM);
      processes.add(
          new FsSubmitter(
              rig.settings,
              commits,
              () -> id,
              new NoteFiles(rig.disk, SimulatedStore.PLACES, commits, Threading.SYSTEM),
              JobLocator.ofOthers(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM)::find,
              new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM)::completed));
    }
    CyclicBarrier start = new CyclicBarrier(8);
    AtomicInteger made = new AtomicInteger();
    ConcurrentLinkedQueue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      FsSubmitter publisher = processes.get(i % 2);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      start.await();
                      if (publisher.submit(TestJobSpecs.plain("x"), id)) {
                        made.incrementAndGet();
                        rig.store.queuePosition(id);
                        rig.claim(1);
                      }
                    } catch (Throwable e) {
                      surprises.add(e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(surprises).isEmpty();
    assertThat(made).hasValue(1);
    assertThat(rig.store.list(Query.all())).containsExactly(id);
    WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
    assertThat(WorkspaceInvariants.names(rig.disk, SimulatedStore.PLACES, JobState.CREATED))
        .isEmpty();
  }

  @Test
  void replacingMetadataAndPruningDoNotInterfere() throws Exception {
    SimulatedStore rig = SimulatedStore.fresh();
    for (int i = 0; i < 30; i++) {
      rig.submit(TestJobSpecs.plain("x"));
    }
    rig.claim(30).forEach(rig::complete);
    ConcurrentLinkedQueue<Object> surprises = new ConcurrentLinkedQueue<>();
    Thread describing =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (JobId id : rig.jobs.reversed()) {
                    Outcome outcome =
                        rig.store.replaceMetadata(
                            id, 0, 0, JsonObject.create().put("a", 1), SimulatedStore.ANNA);
                    if (!outcome.isDone() && !(outcome instanceof Outcome.Missing)) {
                      surprises.add(outcome);
                    }
                  }
                });
    assertThat(rig.prune(JobState.COMPLETED)).isEqualTo(30);
    describing.join();
    assertThat(surprises).isEmpty();
    assertThat(rig.store.list(Query.all())).isEmpty();
  }

  @Test
  void everyChangeIsNotifiedWhenItIsDurable() {
    SimulatedStore rig = SimulatedStore.fresh();
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(
        id -> {
          told.add(id);
          SimDisk found = lost(rig);
          long durable =
              new FsReader(found, SimulatedStore.PLACES, Threading.SYSTEM)
                  .find(id)
                  .map(view -> view.lastEvent())
                  .orElse(-1L);
          long known =
              new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM)
                  .find(id)
                  .map(view -> view.lastEvent())
                  .orElse(-1L);
          assertThat(durable).as("of %s", id).isEqualTo(known);
        });
    JobId one = rig.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1")));
    assertThat(told).containsOnly(one);
    JobId two = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "2", "3")));
    told.clear();
    List<Claim> claims = rig.claim(3);
    assertThat(Set.copyOf(told)).isEqualTo(Set.of(one, two));
    told.clear();
    rig.store.log(claims.get(1), "info", "nobody waits for this");
    assertThat(told).isEmpty();
    rig.sweep();
    assertThat(told).hasSize(1);
    told.clear();
    rig.addStage(one, TestJobSpecs.stage("b", "4"));
    rig.describe(two, 1, 1, "x");
    rig.pause(two);
    rig.abort(two);
    rig.describe(two, 0, 0, "y");
    rig.delete(two);
    assertThat(Set.copyOf(told)).isEqualTo(Set.of(one, two));
    assertThat(told).hasSizeGreaterThanOrEqualTo(6);
  }
}
