package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Fault;
import dev.millrace.store.fs.internal.disk.SimDisk.Op;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.JobFinisher;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.VisibleState;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A disk that is full, fails to sync or is read-only: the error, and what follows. */
@Tag("slow")
class DiskFailureTest {
  private static final JobSpec TWO_STAGES =
      TestJobSpecs.job(
          TestJobSpecs.stage("a", "one", "two"), TestJobSpecs.each("b", "again {{result}}"));

  private CapturedLog log;

  @BeforeEach
  void captureTheLog() {
    log = CapturedLog.open();
  }

  @AfterEach
  void releaseTheLog() {
    log.close();
  }

  static Stream<CrashScenario> writing() {
    Set<String> deleting = Set.of("prune", "delete what has ended");
    return CrashScenario.all().filter(scenario -> !deleting.contains(scenario.name()));
  }

  private static IOException full(Op op) {
    return new FileSystemException(op.path().toString(), null, "No space left on device");
  }

  private static boolean takesSpace(Op op) {
    return Set.of(What.CREATE_DIRECTORY, What.CREATE_FILE, What.PUT_BYTES, What.RENAME)
        .contains(op.what());
  }

  /** Runs the act with a fault at each of its operations that can fail. */
  private static void atEach(CrashScenario scenario, Consumer<Integer> trial) {
    SimulatedStore reference = SimulatedStore.fresh();
    scenario.before().accept(reference);
    int first = reference.disk.operations() + 1;
    scenario.act().accept(reference);
    for (int n = first; n <= reference.disk.operations(); n++) {
      trial.accept(n);
    }
  }

  @ParameterizedTest
  @MethodSource("writing")
  void aDiskThatIsFullForAWhileDelaysAndLosesNothing(CrashScenario scenario) {
    for (int left : List.of(0, 500, 900)) {
      atEach(scenario, n -> fullFrom(n, left, scenario));
    }
  }

  private static void fullFrom(int n, int left, CrashScenario scenario) {
    SimulatedStore rig = SimulatedStore.fresh();
    scenario.before().accept(rig);
    VisibleState before = VisibleState.of(rig.store);
    rig.disk.failBy(op -> op.number() >= n && takesSpace(op) ? full(op) : null, left);
    Throwable problem = catchThrowable(() -> scenario.act().accept(rig));
    if (problem != null) {
      assertThat(problem)
          .as("%s, full from operation %d on", scenario, n)
          .isInstanceOf(StoreException.class)
          .isNotInstanceOf(StoreBrokenException.class)
          .hasMessageContaining("No space left on device")
          .hasMessageContaining("free some space, for example by pruning old jobs");
    }
    rig.disk.heal();
    before.jobs().keySet().forEach(id -> assertThat(rig.store.state(id)).isPresent());
    goOn(rig);
  }

  /**
   * Continues with the same store: workers answer again, users ask again, until all jobs have
   * ended.
   */
  private static void goOn(SimulatedStore rig) {
    for (Claim claim : List.copyOf(rig.claims)) {
      rig.store.complete(claim, SimulatedStore.answerOf(claim));
    }
    rig.sweep();
    var ends = JobFinisher.expected(rig.store);
    JobFinisher.drive(rig);
    JobFinisher.check(rig, ends);
    Set<String> tokens = new HashSet<>();
    rig.claims.forEach(
        claim ->
            assertThat(tokens.add(claim + " " + claim.key().token()))
                .as("no claim is given twice")
                .isTrue());
  }

  @Test
  void aSubmissionOnAFullDiskLeavesNothingBehind() {
    for (JobSpec spec :
        List.of(TestJobSpecs.plain("x"), TWO_STAGES, TestJobSpecs.held(TestJobSpecs.plain("x")))) {
      CrashScenario submit = new CrashScenario("submit", rig -> {}, rig -> rig.submit(spec));
      atEach(
          submit,
          n -> {
            SimulatedStore rig = SimulatedStore.fresh();
            rig.disk.failBy(op -> op.number() >= n && takesSpace(op) ? full(op) : null);
            Throwable problem = catchThrowable(() -> rig.submit(spec));
            if (problem != null) {
              assertThat(problem).hasMessageStartingWith("cannot submit into /ws: No space left");
              assertThat(rig.store.list(JobReader.Query.all())).isEmpty();
              assertThat(
                      WorkspaceInvariants.names(rig.disk, SimulatedStore.PLACES, JobState.CREATED))
                  .isEmpty();
            }
          });
    }
  }

  @Test
  void aTaskCompletedOnAFullDiskEndsEvenIfTheWorkerGivesUp() {
    CrashScenario complete =
        new CrashScenario(
            "complete",
            rig -> {
              rig.submit(TestJobSpecs.plain("x"));
              rig.claim(1);
            },
            rig -> rig.complete(rig.claims.getFirst()));
    atEach(
        complete,
        n -> {
          SimulatedStore rig = SimulatedStore.fresh();
          complete.before().accept(rig);
          rig.disk.failBy(op -> op.number() == n && takesSpace(op) ? full(op) : null);
          catchThrowable(() -> complete.act().accept(rig));
          rig.disk.heal();
          rig.sweep();
          JobId id = rig.jobs.getFirst();
          boolean written = rig.store.tasks(id, 1, 1, 1).getFirst().result() != null;
          assertThat(rig.store.state(id))
              .as("at operation %d", n)
              .contains(written ? JobState.COMPLETED : JobState.IN_PROGRESS);
        });
  }

  @Test
  void aLeaseThatEndsOnAFullDiskEndsLater() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id =
        rig.submit(TestJobSpecs.with(TestJobSpecs.queueTimeout(TestJobSpecs.MINUTE), TWO_STAGES));
    JobId waits =
        rig.submit(
            TestJobSpecs.with(
                TestJobSpecs.queueTimeout(TestJobSpecs.MINUTE), TestJobSpecs.plain("waits")));
    rig.store.claim(new ClaimRequest(Set.of("a"), 1, "worker", TestJobSpecs.MINUTE));
    rig.later(TestJobSpecs.MINUTE);
    rig.disk.failBy(op -> takesSpace(op) ? full(op) : null);
    assertThatThrownBy(rig.store::sweep).hasMessageContaining("No space left on device");
    rig.disk.heal();
    assertThat(rig.sweep()).isPositive();
    assertThat(rig.store.state(waits)).contains(JobState.FAILED);
    assertThat(rig.store.state(id)).contains(JobState.FAILED);
  }

  @ParameterizedTest
  @MethodSource("writing")
  void afterAFailedSyncEverythingIsRefusedAndNothingAcknowledgedIsLost(CrashScenario scenario) {
    atEach(
        scenario,
        n -> {
          SimulatedStore rig = SimulatedStore.fresh();
          scenario.before().accept(rig);
          VisibleState before = VisibleState.of(rig.store);
          int told = rig.acknowledged();
          rig.disk.failBy(
              op ->
                  op.number() == n && op.what().syncs()
                      ? new IOException("Input/output error")
                      : null);
          Throwable problem = catchThrowable(() -> scenario.act().accept(rig));
          if (problem == null) {
            return; // not a sync
          }
          assertThat(problem)
              .as("%s, operation %d", scenario, n)
              .isInstanceOf(StoreBrokenException.class)
              .hasMessageContaining("a sync failed (Input/output error)")
              .hasMessageContaining("check it, then start again");
          everythingIsRefused(rig);
          if (rig.acknowledged() == told) {
            reopened(rig, before);
          }
        });
  }

  private static void everythingIsRefused(SimulatedStore rig) {
    JobId id = new JobId("1_2_3");
    Set<String> types = SimulatedStore.TYPES;
    Stream.<Runnable>of(
            () -> rig.store.submit(TestJobSpecs.plain("y")),
            () -> rig.store.claim(new ClaimRequest(types, 1, "worker", null)),
            () -> rig.store.pause(id, SimulatedStore.ANNA),
            () -> rig.store.resume(id, SimulatedStore.ANNA),
            () -> rig.store.abort(id, SimulatedStore.ANNA),
            () -> rig.store.approve(id, 1, SimulatedStore.ANNA),
            () -> rig.store.hold(id, 1, SimulatedStore.ANNA),
            () -> rig.store.sweep(),
            () -> rig.store.prune(Instant.MAX, Set.of(JobState.COMPLETED)))
        .forEach(call -> assertThatThrownBy(call::run).isInstanceOf(StoreBrokenException.class));
    rig.claims.forEach(
        claim -> {
          assertThatThrownBy(() -> rig.store.complete(claim, TaskResult.of("")))
              .isInstanceOf(StoreBrokenException.class);
          assertThatThrownBy(() -> rig.store.fail(claim, Failure.of("")))
              .isInstanceOf(StoreBrokenException.class);
        });
  }

  /** The system may forget what it could not write. */
  private static void reopened(SimulatedStore rig, VisibleState before) {
    for (SimDisk disk :
        List.of(
            rig.disk.afterKill(),
            rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1)))) {
      SimulatedStore next = new SimulatedStore(disk, rig.clock.instant(), 8);
      before.jobs().keySet().forEach(id -> assertThat(next.store.state(id)).isPresent());
      var ends = JobFinisher.expected(next.store);
      JobFinisher.drive(next);
      JobFinisher.check(next, ends);
    }
  }

  private static SimulatedStore withTrouble(Fault fault) {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.submit(TestJobSpecs.plain("x"));
    rig.disk.failBy(fault);
    return rig;
  }

  @Test
  void aReadOnlyDiskIsNamedWithItsRemedy() {
    SimulatedStore rig =
        withTrouble(
            op ->
                op.what().changes()
                    ? new FileSystemException(op.path().toString(), null, "Read-only file system")
                    : null);
    assertThatThrownBy(() -> rig.submit(TestJobSpecs.plain("y")))
        .hasMessageMatching(
            "cannot submit into /ws: Read-only file system \\(/ws/input/writing/\\d+_7_\\d+\\);"
                + " remount it writable or use another workspace");
    assertThatThrownBy(() -> rig.claim(1))
        .hasMessageMatching(
            "cannot write job \\d+_7_\\d+: Read-only file system \\(/ws/processing/\\d+_7_\\d+\\);"
                + " remount it writable or use another workspace");
    rig.disk.heal();
    goOn(rig);
  }

  @Test
  void aDirectoryWithoutPermissionIsNamedWithItsRemedy() {
    SimulatedStore rig =
        withTrouble(
            op -> op.what().changes() ? new AccessDeniedException(op.path().toString()) : null);
    assertThatThrownBy(() -> rig.submit(TestJobSpecs.plain("y")))
        .hasMessageMatching(
            "cannot submit into /ws: no permission for /ws/input/writing/\\d+_7_\\d+;"
                + " check who owns the workspace");
    assertThatThrownBy(() -> rig.pause(rig.jobs.getFirst()))
        .hasMessageMatching(
            "cannot write job \\d+_7_\\d+: no permission for"
                + " /ws/input/ready/\\d+_7_\\d+/op.json.tmp; check who owns the workspace");
    rig.disk.heal();
    goOn(rig);
  }

  @Test
  void aStoreThatCannotBeOpenedSaysWhy() {
    SimDisk disk = new SimDisk();
    disk.failBy(op -> op.what().changes() ? new AccessDeniedException(op.path().toString()) : null);
    assertThatThrownBy(() -> new SimulatedStore(disk, Instant.EPOCH, 7))
        .hasMessage("cannot open /ws: no permission for /ws; check who owns the workspace");
  }

  @Test
  void oneJobWithoutPermissionDoesNotStopTheOthers() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId denied = rig.submit(TestJobSpecs.plain("x"));
    rig.submit(TestJobSpecs.plain("y"));
    rig.disk.failBy(
        op ->
            op.what().changes() && op.path().endsWith(denied.value())
                ? new AccessDeniedException(op.path().toString())
                : null);
    assertThat(rig.claim(10)).extracting(Claim::inputText).containsExactly("y");
    assertThat(log.lines()).anyMatch(line -> line.contains("no permission for /ws/processing/"));
    assertThat(rig.claim(10)).isEmpty();
    assertThat(rig.store.state(denied)).contains(JobState.PENDING);
    rig.disk.heal();
    rig.submit(
        TestJobSpecs.plain("z")); // something changes among the ready jobs: they are listed again
    assertThat(rig.store.isIdle(Set.of("generate"))).isFalse();
    goOn(rig);
  }

  @Test
  void anAnswerRefusedOnAFullDiskIsAcceptedWhenRepeated() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.submit(TestJobSpecs.plain("x"));
    Claim claim = rig.claim(1).getFirst();
    rig.disk.failBy(op -> takesSpace(op) ? full(op) : null);
    assertThatThrownBy(() -> rig.complete(claim)).hasMessageContaining("No space left on device");
    rig.disk.heal();
    assertThat(rig.store.complete(claim, SimulatedStore.answerOf(claim))).isEqualTo(Outcome.DONE);
    assertThat(rig.store.state(rig.jobs.getFirst())).contains(JobState.COMPLETED);
  }

  private static void journal(SimulatedStore rig, Claim claim, int... tokens) {
    for (int token : tokens) {
      assertThat(rig.store.appendJournal(claim, new OutputChunk(List.of(token), "t")))
          .isEqualTo(ClaimSignal.CONTINUE);
    }
  }

  @Test
  void aJournalThatCouldNotBeWrittenStaysEndedIfItsJobIsReadAgain() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    List<Claim> claims = rig.claim(2);
    Claim claim = claims.getFirst();
    rig.store.freeze(claim, JsonObject.create().put("seed", 7));
    journal(rig, claim, 0, 1);
    rig.disk.failBy(op -> takesSpace(op) ? full(op) : null);
    journal(rig, claim, 2);
    assertThatThrownBy(() -> rig.complete(claims.getLast())).hasMessageContaining("No space left");
    rig.disk.heal();
    journal(rig, claim, 3, 4);
    assertThat(log.lines())
        .filteredOn(line -> line.contains("cannot be written and ends here: No space left"))
        .hasSize(1);
    rig.release(claim);
    Claim next = rig.claim(1).getFirst();
    assertThat(next.journaledTokens()).as("no gap").containsExactly(0, 1);
    journal(rig, next, 2, 3);
    rig.release(next);
    assertThat(rig.claim(1).getFirst().journaledTokens()).containsExactly(0, 1, 2, 3);
  }

  @Test
  void newTermsStartANewJournal() {
    SimulatedStore rig = SimulatedStore.fresh();
    rig.submit(TestJobSpecs.plain("x"));
    Claim claim = rig.claim(1).getFirst();
    rig.store.freeze(claim, JsonObject.create().put("seed", 7));
    rig.disk.failBy(op -> takesSpace(op) ? full(op) : null);
    journal(rig, claim, 0);
    rig.disk.heal();
    rig.store.freeze(claim, JsonObject.create().put("seed", 8));
    journal(rig, claim, 5, 6);
    rig.release(claim);
    assertThat(rig.claim(1).getFirst().journaledTokens()).containsExactly(5, 6);
  }

  @Test
  void aJournalThatCouldNotBeDeletedIsDeletedWhenTheJobEnds() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    List<Claim> claims = rig.claim(2);
    claims.forEach(rig::generate);
    rig.disk.failBy(op -> op.what() == What.DELETE ? new IOException("not now") : null);
    rig.complete(claims.getFirst());
    rig.disk.heal();
    rig.fail(claims.getLast(), Failure.permanent("broken"));
    Path journals = SimulatedStore.PLACES.of(JobState.FAILED, id).resolve("stages/1-a/journal");
    assertThat(rig.disk.kind(journals.resolve("1.jsonl"))).isEqualTo(Disk.Kind.NOTHING);
    assertThat(rig.disk.kind(journals.resolve("2.jsonl"))).isEqualTo(Disk.Kind.FILE);
  }

  @Test
  void aReceiptThatDoesNotCountIsDeletedWhenTheJobEnds() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.plain("x"));
    Claim first = rig.claim(1).getFirst();
    Path running = SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id);
    Path receipt = running.resolve("meta.json.receipt");
    rig.disk.failBy(op -> op.what() == What.RENAME ? full(op) : null);
    assertThatThrownBy(() -> rig.complete(first)).hasMessageContaining("No space left");
    rig.disk.heal();
    assertThat(rig.disk.kind(receipt)).isEqualTo(Disk.Kind.FILE);
    rig.release(first);
    assertThat(rig.store.complete(rig.claim(1).getFirst(), TaskResult.of("bare")))
        .isEqualTo(Outcome.DONE);
    Path done = SimulatedStore.PLACES.of(JobState.COMPLETED, id);
    assertThat(rig.disk.kind(done.resolve("meta.json"))).isEqualTo(Disk.Kind.FILE);
    assertThat(rig.disk.kind(done.resolve("meta.json.receipt"))).isEqualTo(Disk.Kind.NOTHING);
    assertThat(rig.store.tasks(id, 1, 1, 1).getFirst().result()).isEqualTo(TaskResult.of("bare"));
  }

  /** The log of an ended job is only read when the job is loaded; its torn end is cut off later. */
  @Test
  void aTornEntryOfAnEndedJobIsCutOffBeforeTheNext() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1")));
    rig.claim(1).forEach(rig::complete);
    rig.disk.failBy(
        op ->
            op.what() == SimDisk.What.PUT_BYTES && op.path().endsWith("events.jsonl")
                ? new IOException("No space left on device")
                : null,
        500);
    assertThatThrownBy(() -> rig.describe(id, 0, 0, "lost")).isInstanceOf(StoreException.class);
    rig.disk.heal();
    rig.describe(id, 0, 0, "kept");
    SimulatedStore next = new SimulatedStore(rig.disk.afterKill(), rig.clock.instant(), 8);
    assertThat(next.store.events(id, 0, 99).getLast().toString()).contains("kept");
  }
}
