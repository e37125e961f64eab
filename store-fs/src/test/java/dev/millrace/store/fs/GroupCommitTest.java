package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.SimDisk.What;
import dev.millrace.store.fs.SimFiles.Loss;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who syncs what for whom. */
class GroupCommitTest {
  private final SimDisk disk = new SimDisk();
  private final GroupCommit commits = new GroupCommit(disk);
  private final ManualClock clock = new ManualClock();
  private final FsSettings settings =
      new FsSettings(Rig.ROOT, disk, clock, new IdGenerator(clock, 7)::next, () -> 1L << 63);

  @BeforeEach
  void makePlaces() throws IOException {
    Rig.PLACES.create(disk);
  }

  private SimDisk lost() {
    return disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
  }

  private Dirty written(Path file) throws IOException {
    disk.write(file, new byte[1]);
    return new Dirty().file(file).directory(file.getParent());
  }

  @Test
  void whatIsEnlistedIsSyncedByWhoeverCommitsNext() throws IOException {
    Path mine = Rig.ROOT.resolve("mine");
    Dirty dirty = written(mine);
    commits.enlist(dirty);
    assertThat(dirty.isEmpty()).isTrue();
    assertThat(lost().kind(mine)).isEqualTo(Disk.Kind.NOTHING);
    commits.commit(written(Rig.ROOT.resolve("another")));
    assertThat(lost().kind(mine)).isEqualTo(Disk.Kind.FILE);
    int before = disk.operations();
    commits.commit(dirty);
    assertThat(disk.operations()).as("it is not synced twice").isEqualTo(before);
  }

  @Test
  void aSyncThatIsCutShortIsNobodys() throws IOException {
    disk.failBy(
        op -> {
          if (op.what().syncs()) {
            throw new IllegalStateException("out of the blue");
          }
          return null;
        });
    Dirty dirty = written(Rig.ROOT.resolve("mine"));
    commits.enlist(dirty);
    assertThatThrownBy(() -> commits.commit(new Dirty().directory(Rig.ROOT)))
        .isInstanceOf(IllegalStateException.class);
    disk.heal();
    assertThatThrownBy(() -> commits.commit(dirty))
        .isInstanceOf(StoreBroken.class)
        .hasMessageContaining("a sync failed (it was cut short)");
  }

  @Test
  void whatWasWrittenIsDurableThoughTheJobMovesOnBeforeItIsSynced() {
    ClaimQueue queue = new ClaimQueue(clock);
    Leases leases = new Leases();
    Ledger ledger = new Ledger(settings, commits, queue, leases, 1);
    JobId id =
        new Publisher(
                disk,
                Rig.PLACES,
                commits,
                clock,
                settings.ids(),
                new Notes(disk, Rig.PLACES, commits),
                ledger.jobs()::whereabouts)
            .submit(Specs.job(Specs.stage("a", "1", "2")));
    ledger.step(id, (job, dirty) -> ledger.finish(job, dirty));
    Claim claim =
        new Claimer(ledger, queue, leases, commits, new LeftAlone())
            .claim(new Demand(Set.of("a"), 1, "worker", null))
            .getFirst();
    Dirty mine = new Dirty();
    ledger.step(
        id,
        mine,
        (job, dirty) -> {
          Fact.Detail.Completed delivered =
              job.files()
                  .deliver(
                      job.at(),
                      new JobFiles.Delivery(1, "a", 1, 1, new dev.millrace.core.task.Token(1, 1)),
                      TaskResult.of("result"),
                      dirty);
          return ledger.record(job, dirty, turn -> Claims.complete(turn, claim.hold(), delivered));
        });
    Operation pause =
        new Operation("op", JobEvent.PAUSE, JobState.PAUSED, clock.instant(), null, null);
    assertThat(ledger.step(id, (job, dirty) -> ledger.pull(job, pause, dirty)))
        .contains(Answer.DONE);
    commits.commit(mine); // the path that it knew is no more
    var task = new Rig(lost(), clock.instant(), 8).store.tasks(id, 1, 1, 1).getFirst();
    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(task.result().text()).isEqualTo("result");
  }

  @Test
  void aLineOfAWorkersLogIsDurableWithTheNextAnswer() {
    Rig rig = Rig.fresh();
    JobId id = rig.submit(Specs.job(Specs.stage("a", "1", "2")));
    List<Claim> claims = rig.claim(2);
    rig.store.log(claims.get(0), "info", "half way");
    rig.complete(claims.get(1));
    SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    assertThat(new Rig(found, clock.instant(), 8).store.events(id, 0, 99))
        .extracting(Entry::fact)
        .contains(new Fact.Line(1, 1, "info", "half way"));
  }

  @Test
  void manyFilesAreSyncedByOneSyncWhereThereIsOne() throws IOException {
    SimDisk able = new SimDisk(true);
    Dirty dirty = new Dirty();
    for (int i = 0; i < 10; i++) {
      Path file = Path.of("/file" + i);
      able.write(file, new byte[1]);
      dirty.file(file);
    }
    int before = able.operations();
    new GroupCommit(able).commit(dirty);
    assertThat(able.operations()).isEqualTo(before + 1);
    assertThat(able.operation(before + 1).what()).isEqualTo(What.SYNC_ALL);
    assertThat(
            able.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1))
                .kind(Path.of("/file9")))
        .isEqualTo(Disk.Kind.FILE);
  }
}
