package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.io.IOException;
import java.nio.file.Path;
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
    first.describe(large, 0, 0, "x".repeat(1 << 20));
    disk = first.disk.afterKill();
  }

  /** The disk after a process has ended while it read the job. */
  private static SimDisk afterAnEndWhileReading(SimDisk disk, JobId id, long heap)
      throws IOException {
    ReadingMarks marks = new ReadingMarks(disk, SimulatedStore.PLACES, heap);
    Path job = SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id);
    return marks.marked(id, job, disk::afterKill);
  }

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
}
