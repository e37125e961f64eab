package dev.millrace.store.fs.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which watchers are notified, and when. */
class ChangeNotifierTest {
  @Test
  void aChangeThatWaitsForNoSyncIsNotifiedOnceItIsSynced() throws IOException {
    SimDisk disk = new SimDisk();
    Path file = Path.of("/file");
    disk.write(file, new byte[] {1});
    GroupCommit commits = new GroupCommit(disk);
    ChangeNotifier notifier = new ChangeNotifier(commits);
    List<String> told = new ArrayList<>();
    notifier.onLever(id -> told.add("stopped " + id));
    notifier.onChange(id -> told.add("changed " + id));
    JobId id = new JobId("1_2_3");
    UnsyncedChanges unsynced = new UnsyncedChanges().addFile(file);
    unsynced.jobsWithLever().add(id);
    unsynced.changedJobs().add(id);
    commits.enlist(unsynced);
    notifier.notifyAfterSync(unsynced);
    notifier.notifyIfSynced();
    assertThat(told).isEmpty();
    commits.awaitEnlisted();
    notifier.notifyIfSynced();
    notifier.notifyIfSynced();
    assertThat(told).containsExactly("stopped " + id, "changed " + id);
  }
}
