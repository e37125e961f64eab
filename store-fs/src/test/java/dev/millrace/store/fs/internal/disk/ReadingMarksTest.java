package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job whose reading ends the process, as on a full heap, does not end every later one. */
class ReadingMarksTest {
  private final SimulatedStore first = SimulatedStore.fresh();
  private JobId large;
  private JobId small;
  private SimDisk disk;

  @BeforeEach
  void aJobWithALargeLog() {
    large = first.submit(JobSpec.prompt("generate", "large"));
    first.claim(1);
    small = first.submit(JobSpec.prompt("generate", "small"));
    first.describe(large, 0, 0, "x".repeat(1 << 16));
    disk = first.disk.afterKill();
  }

  /** The disk after a process has ended while it read the job. */
  private static SimDisk afterAnEndWhileReading(SimDisk disk, JobId id, long heap)
      throws IOException {
    ReadingMarks marks = ofOwner(disk, ++lastEpoch, heap);
    return marks.ofJob(id, directory(disk, id), disk::afterKill);
  }

  private static ReadingMarks ofOwner(SimDisk disk, long epoch, long heap) {
    return ReadingMarks.ofOwner(disk, SimulatedStore.PLACES, epoch, heap);
  }

  private static Path directory(SimDisk disk, JobId id) throws IOException {
    return SimulatedStore.PLACES.of(SimulatedStore.PLACES.lookUp(disk, id).orElseThrow(), id);
  }

  private static Path mark(String name) {
    return SimulatedStore.PLACES.internalPath("reading/" + name + ".json");
  }

  private static long lastEpoch = 1_000;
  private static final long HEAP = Runtime.getRuntime().maxMemory();

  @Test
  void afterTwoProcessesTheThirdLeavesItAlone() throws IOException {
    SimDisk once = afterAnEndWhileReading(disk, large, HEAP);
    SimulatedStore second = new SimulatedStore(once.afterKill(), first.clock.instant(), 8);
    assertThat(second.claim(10)).extracting(Claim::job).containsExactly(large, small);

    SimDisk twice = afterAnEndWhileReading(once, large, HEAP);
    CapturedLog log = CapturedLog.open();
    try {
      SimulatedStore third = new SimulatedStore(twice, first.clock.instant(), 9);
      assertThat(third.claim(10)).extracting(Claim::job).containsExactly(small);
      assertThatThrownBy(() -> third.store.find(large))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("2 processes in a row ended while they read it");
      assertThat(log.lines()).anyMatch(line -> line.contains("quarantined"));
    } finally {
      log.close();
    }
  }

  @Test
  void aLargerHeapIsWorthAnotherTry() throws IOException {
    SimDisk twice =
        afterAnEndWhileReading(afterAnEndWhileReading(disk, large, HEAP / 2), large, HEAP / 2);
    SimulatedStore third = new SimulatedStore(twice, first.clock.instant(), 9);
    assertThat(third.claim(10)).extracting(Claim::job).containsExactly(large, small);
  }

  @Test
  void aReadThatEndsLeavesNoMark() throws IOException {
    new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(disk.kind(SimulatedStore.PLACES.internalPath("reading/" + large + ".json")))
        .isEqualTo(Disk.Kind.NOTHING);
  }

  @Test
  void aMarkThatCannotBeWrittenKeepsNoJobFromBeingRead() {
    disk.failBy(
        op ->
            op.what().changes() && op.path().toString().contains("reading")
                ? new IOException("No space left on device")
                : null);
    SimulatedStore second = new SimulatedStore(disk, first.clock.instant(), 8);
    assertThat(second.claim(10)).extracting(Claim::job).containsExactly(large, small);
  }

  @Test
  void threadsOfOneProcessDoNotCountAsEndedOnes() throws IOException {
    ReadingMarks marks = ofOwner(disk, 77, HEAP);
    Path job = directory(disk, large);
    String both =
        marks.ofJob(
            large,
            job,
            () -> {
              String inner = marks.ofJob(large, job, () -> marks.ofJob(large, job, () -> "read"));
              assertThat(disk.kind(mark(large.value()))).isEqualTo(Disk.Kind.FILE);
              return inner;
            });
    assertThat(both).isEqualTo("read");
    assertThat(disk.kind(mark(large.value()))).isEqualTo(Disk.Kind.NOTHING);
  }

  @Test
  void whoDoesNotOwnTheWorkspaceReadsAJobThatItsOwnerReads() throws IOException {
    SimDisk once = afterAnEndWhileReading(disk, large, HEAP);
    Path job = directory(once, large);
    ReadingMarks others = ReadingMarks.ofOthers(once, SimulatedStore.PLACES);
    String seen =
        ofOwner(once, 77, HEAP).ofJob(large, job, () -> others.ofJob(large, job, () -> "read"));
    assertThat(seen).isEqualTo("read");
  }

  @Test
  void othersLeaveAJobAloneThatTheOwnerLeavesAlone() throws IOException {
    SimDisk twice = afterAnEndWhileReading(afterAnEndWhileReading(disk, large, HEAP), large, HEAP);
    Path job = directory(twice, large);
    assertThatThrownBy(() -> ofOwner(twice, 77, HEAP).ofJob(large, job, () -> "read"))
        .isInstanceOf(ReadingMarks.UnfitJobException.class);
    for (ReadingMarks later :
        List.of(ReadingMarks.ofOthers(twice, SimulatedStore.PLACES), ofOwner(twice, 78, HEAP))) {
      assertThatThrownBy(() -> later.ofJob(large, job, () -> "read"))
          .isInstanceOf(ReadingMarks.UnfitJobException.class)
          .hasMessageStartingWith("2 processes");
    }
  }

  @Test
  void aJobWithManyTasksIsLarge() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(JobSpec.builder().open(true).stages(List.of()).build());
    rig.addStage(id, StageSpec.of("a", Collections.nCopies(100_000, TaskSpec.of(""))));
    SimDisk after = afterAnEndWhileReading(rig.disk.afterKill(), id, HEAP);
    assertThat(after.kind(mark(id.value()))).isEqualTo(Disk.Kind.FILE);
  }

  @Test
  void aTaskThatEndedTwoProcessesFails() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id =
        rig.submit(
            JobSpec.of(
                List.of(
                    StageSpec.of(
                        "a",
                        List.of(TaskSpec.of(List.of("x".repeat(1 << 20))), TaskSpec.of("y"))))));
    SimDisk left = rig.disk.afterKill();
    for (int epoch = 77; epoch < 79; epoch++) {
      SimDisk now = left;
      left = ofOwner(now, epoch, HEAP).ofTask(id, 1, 1, 1 << 20, now::afterKill);
    }
    SimulatedStore third = new SimulatedStore(left, rig.clock.instant(), 9);
    third.claim(10);
    assertThat(third.store.find(id).orElseThrow().stages().getFirst().error())
        .contains("2 processes in a row ended while they read it");
  }

  @Test
  void anEndedJobIsMarkedToo() throws IOException {
    SimulatedStore second = new SimulatedStore(disk, first.clock.instant(), 8);
    second.abort(large);
    SimDisk twice =
        afterAnEndWhileReading(
            afterAnEndWhileReading(second.disk.afterKill(), large, HEAP), large, HEAP);
    SimulatedStore third = new SimulatedStore(twice, first.clock.instant(), 9);
    assertThatThrownBy(() -> third.store.find(large))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("2 processes in a row");
    third.delete(large);
    assertThat(twice.kind(mark(large.value()))).isEqualTo(Disk.Kind.NOTHING);
  }
}
