package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job that is read repeatedly while it grows. */
class JobOnDiskTest {
  private final SimulatedStore rig = SimulatedStore.fresh();
  private final JobId id =
      rig.submit(
          TestJobSpecs.with(
              TestJobSpecs.attempts(9), TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2", "3"))));
  private final AtomicInteger moves = new AtomicInteger();

  private JobOnDisk read(@Nullable JobOnDisk known) throws IOException {
    moves.set(0);
    JobDirectory at =
        new JobDirectory(rig.disk, SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id));
    return JobOnDisk.read(
        new JobOnDisk.Location(id, at, JobState.IN_PROGRESS),
        _ -> moves.incrementAndGet(),
        LogTimes.AS_LOGGED,
        known,
        null);
  }

  private static JobView view(JobOnDisk job) {
    return ViewFactory.job(job.files().header(), job.fold());
  }

  @Test
  void onlyNewEntriesAreFolded() throws IOException {
    rig.complete(rig.claim(1).getFirst());
    JobOnDisk before = read(null);
    JobView then = view(before);
    assertThat(read(before).log()).isSameAs(before.log());
    assertThat(moves).as("nothing new").hasValue(0);
    rig.claim(1);
    JobOnDisk after = read(before);
    assertThat(moves).as("one claim").hasValue(1);
    assertThat(view(after)).isEqualTo(view(read(null)));
    assertThat(view(before)).as("the one before stays as it was read").isEqualTo(then);
  }

  @Test
  void aReplacedLogIsFoldedFromTheStart() throws IOException {
    rig.release(rig.claim(1).getFirst());
    JobOnDisk before = read(null);
    JobDirectory at = before.at();
    LogEntry last = before.log().pages(at).entries(before.log().last() - 1, 9).getLast();
    rig.disk.truncate(
        at.file(EventLog.FILE),
        before.log().length() - StrictUtf8.bytes(LogEntryJson.write(last) + "\n").length);
    Fact other =
        new Fact.WorkerLogLine(1, 1, "info", "long enough not to end at the same byte".repeat(9));
    EventLog.append(
        at,
        List.of(new LogEntry(last.number(), last.at(), other)),
        new EventLogIndex(),
        new UnsyncedChanges());
    JobOnDisk after = read(before);
    assertThat(after.log().last()).isEqualTo(before.log().last());
    assertThat(view(after)).isEqualTo(view(read(null))).isNotEqualTo(view(before));
  }

  @Test
  void aReaderThatFollowsSeesWhatANewOneSees() {
    FsReader follower = new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM);
    Runnable compare =
        () -> {
          FsReader fresh = new FsReader(rig.disk, SimulatedStore.PLACES, Threading.SYSTEM);
          assertThat(follower.find(id)).isEqualTo(fresh.find(id));
          assertThat(follower.tasks(id, 1, 1, 9)).isEqualTo(fresh.tasks(id, 1, 1, 9));
          assertThat(follower.events(id, 0, 99)).isEqualTo(fresh.events(id, 0, 99));
          assertThat(follower.events(id, 2, 3)).isEqualTo(fresh.events(id, 2, 3));
          assertThat(follower.events(id, 1_000, 3)).isEmpty();
        };
    rig.observe(compare);
    compare.run();
    rig.complete(rig.claim(1).getFirst());
    rig.claim(1);
    rig.pause(id);
    rig.resume(id);
    rig.release(rig.claims.getLast());
    rig.claim(2).forEach(rig::complete);
    assertThat(follower.state(id)).contains(JobState.COMPLETED);
  }
}
