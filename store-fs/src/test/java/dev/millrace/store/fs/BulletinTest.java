package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is told, and when. */
class BulletinTest {
  @Test
  void whatWaitsForNoSyncIsToldOnceSomebodyHasSyncedIt() throws IOException {
    SimDisk disk = new SimDisk();
    Path file = Path.of("/file");
    disk.write(file, new byte[] {1});
    GroupCommit commits = new GroupCommit(disk);
    Bulletin bulletin = new Bulletin(commits);
    List<String> told = new ArrayList<>();
    bulletin.onLever(id -> told.add("stopped " + id));
    bulletin.onChange(id -> told.add("changed " + id));
    JobId id = new JobId("1_2_3");
    Dirty dirty = new Dirty().file(file);
    dirty.levers().add(id);
    dirty.changed().add(id);
    commits.enlist(dirty);
    bulletin.tellLater(dirty);
    bulletin.tellDue();
    assertThat(told).isEmpty();
    commits.settle();
    bulletin.tellDue();
    bulletin.tellDue();
    assertThat(told).containsExactly("stopped " + id, "changed " + id);
  }
}
