package dev.millrace.store.fs.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two threads may delete the journal of a completed task: the one that comes late says nothing. */
class UnneededJournalTest {
  private final SimulatedStore rig = SimulatedStore.fresh();
  private final CapturedLog log = CapturedLog.open();
  private boolean raced;

  @AfterEach
  void closeLog() {
    log.close();
  }

  @Test
  void aJournalThatAnotherThreadDeletesFirstIsNotReported() throws IOException {
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    Claim first = rig.claim(1).getFirst();
    Claim second = rig.claim(1).getFirst();
    rig.generate(first);
    Path journal = journal(JobState.IN_PROGRESS, id);
    byte[] content = rig.disk.read(journal, 10_000);
    rig.complete(first);
    rig.disk.write(journal, content); // as if the thread that deletes it had not come to that yet
    rig.disk.failBy(op -> race(op, journal));
    rig.fail(second, Failure.permanent("no"));
    assertThat(raced).isTrue();
    assertThat(log.lines()).isEmpty();
    assertThat(rig.store.state(id)).contains(JobState.FAILED);
    assertThat(rig.disk.kind(journal(JobState.FAILED, id))).isEqualTo(Disk.Kind.NOTHING);
  }

  private static Path journal(JobState state, JobId id) {
    return SimulatedStore.PLACES.of(state, id).resolve("stages/1-a/journal/1.jsonl");
  }

  /** The other thread deletes the file right before this one does. */
  private IOException race(SimDisk.Op op, Path journal) {
    if (!raced && op.what() == SimDisk.What.DELETE && op.path().equals(journal)) {
      raced = true;
      try {
        rig.disk.delete(journal);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return null;
  }
}
