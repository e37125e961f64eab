package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which thread syncs which changes. */
class GroupCommitTest {
  private final SimDisk disk = new SimDisk();
  private final GroupCommit commits = new GroupCommit(disk, Threading.SYSTEM);
  private final ManualClock clock = new ManualClock();
  private final FsSettings settings =
      new FsSettings(
          SimulatedStore.ROOT, disk, clock, new JobIdGenerator(clock, 7)::next, () -> 1L << 63);

  @BeforeEach
  void createDirectories() throws IOException {
    SimulatedStore.PLACES.create(disk);
  }

  private SimDisk lost() {
    return disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
  }

  private UnsyncedChanges written(Path file) throws IOException {
    disk.write(file, new byte[1]);
    return new UnsyncedChanges().addFile(file).addDirectory(file.getParent());
  }

  @Test
  void addedChangesAreSyncedByTheNextCommit() throws IOException {
    Path mine = SimulatedStore.ROOT.resolve("mine");
    UnsyncedChanges unsynced = written(mine);
    commits.enlist(unsynced);
    assertThat(unsynced.isEmpty()).isTrue();
    assertThat(lost().kind(mine)).isEqualTo(Disk.Kind.NOTHING);
    commits.commit(written(SimulatedStore.ROOT.resolve("another")));
    assertThat(lost().kind(mine)).isEqualTo(Disk.Kind.FILE);
    int before = disk.operations();
    commits.commit(unsynced);
    assertThat(disk.operations()).as("it is not synced twice").isEqualTo(before);
  }

  @Test
  void anInterruptedSyncCountsForNoThread() throws IOException {
    disk.failBy(
        op -> {
          if (op.what().syncs()) {
            throw new IllegalStateException("out of the blue");
          }
          return null;
        });
    UnsyncedChanges unsynced = written(SimulatedStore.ROOT.resolve("mine"));
    commits.enlist(unsynced);
    assertThatThrownBy(
            () -> commits.commit(new UnsyncedChanges().addDirectory(SimulatedStore.ROOT)))
        .isInstanceOf(IllegalStateException.class);
    disk.heal();
    assertThatThrownBy(() -> commits.commit(unsynced))
        .isInstanceOf(StoreBrokenException.class)
        .hasMessageContaining("a sync failed (it was cut short)");
  }

  @Test
  void anErrorInASyncIsNamedOnEveryKindOfThread() throws Exception {
    OutOfMemoryError error = new OutOfMemoryError("injected");
    disk.failBy(op -> op.what().syncs() ? error : null);
    List<Throwable> thrown = new ArrayList<>();
    Thread virtual =
        Thread.ofVirtual()
            .start(
                () ->
                    thrown.add(
                        catchThrowable(
                            () ->
                                commits.commit(
                                    new UnsyncedChanges().addDirectory(SimulatedStore.ROOT)))));
    virtual.join();
    assertThat(thrown).containsExactly(error);
    disk.heal();
    assertThatThrownBy(commits::requireIntact)
        .isInstanceOf(StoreBrokenException.class)
        .hasMessageContaining(
            "a sync failed (it was cut short by java.lang.OutOfMemoryError: injected)");
  }

  @Test
  void writesAreDurableEvenIfTheJobMovesBeforeTheSync() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    Claim claim = rig.claim(1).getFirst();
    rig.store.log(claim, "info", "no one waits for this");
    rig.pause(id); // the path that was to be synced does not exist any more
    SimDisk after = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    assertThat(new SimulatedStore(after, rig.clock.instant(), 8).store.events(id, 0, 100))
        .extracting(LogEntry::fact)
        .contains(new Fact.WorkerLogLine(1, 1, "info", "no one waits for this"));
  }

  @Test
  void aLineOfAWorkersLogIsDurableWithTheNextAnswer() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    List<Claim> claims = rig.claim(2);
    rig.store.log(claims.get(0), "info", "half way");
    rig.complete(claims.get(1));
    SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    assertThat(new SimulatedStore(found, clock.instant(), 8).store.events(id, 0, 99))
        .extracting(LogEntry::fact)
        .contains(new Fact.WorkerLogLine(1, 1, "info", "half way"));
  }

  @Test
  void manyFilesAreSyncedByOneSyncOfEverything() throws IOException {
    SimDisk able = new SimDisk(true);
    UnsyncedChanges unsynced = new UnsyncedChanges();
    for (int i = 0; i < 10; i++) {
      Path file = Path.of("/file" + i);
      able.write(file, new byte[1]);
      unsynced.addFile(file);
    }
    int before = able.operations();
    new GroupCommit(able, Threading.SYSTEM).commit(unsynced);
    assertThat(able.operations()).isEqualTo(before + 1);
    assertThat(able.operation(before + 1).what()).isEqualTo(What.SYNC_ALL);
    assertThat(
            able.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1))
                .kind(Path.of("/file9")))
        .isEqualTo(Disk.Kind.FILE);
  }
}
