package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobMover;
import dev.millrace.core.move.MoveListener;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A move between two workspaces that stops at every operation of either disk, by a kill or because
 * both lose their power. The seed is that of {@code -Dmillrace.seed=…}.
 */
@Tag("slow")
class MoveCrashPointTest {
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");

  @BeforeAll
  static void captureTheLog() {
    LOG.setLevel(Level.OFF);
    System.out.println("crash points of a move, seed " + SEED);
  }

  @AfterAll
  static void restoreTheLog() {
    LOG.setLevel(null);
  }

  /** Two workspaces, and what is in the first. */
  private record Two(SimulatedStore from, SimulatedStore to) {
    static Two fresh() {
      SimulatedStore from = SimulatedStore.fresh();
      JobId staged =
          from.submit(
              TestJobSpecs.job(
                  TestJobSpecs.stage("a", "1", "2"), TestJobSpecs.each("b", "{{result}}!")));
      Claim half = from.claim(2).getFirst();
      from.complete(half);
      from.fail(
          from.claims.getLast(), Failure.of("again").withPartial("part", JsonObject.create()));
      JobId plain = from.submit(TestJobSpecs.hooked(TestJobSpecs.plain("x")));
      Claim generation = from.claim(1).getFirst();
      assertThat(generation.job()).isIn(plain, staged);
      from.store.freeze(generation, JsonObject.create().put("model", "m"));
      from.store.appendJournal(generation, new OutputChunk(List.of(1, 2), List.of("a", "b")));
      from.release(generation);
      from.submit(TestJobSpecs.held(TestJobSpecs.plain("y")));
      return new Two(from, SimulatedStore.fresh());
    }

    void move() {
      new JobMover(from.store.movable("from"), to.store.movable("to"), MoveListener.NONE)
          .run(false);
    }

    Two afterKill() {
      return reopened(from.disk.afterKill(), to.disk.afterKill());
    }

    Two afterPowerLoss(Loss loss, long salt) {
      return reopened(
          from.disk.afterPowerLoss(loss, new SplittableRandom(SEED + salt)),
          to.disk.afterPowerLoss(loss, new SplittableRandom(SEED - salt)));
    }

    private Two reopened(SimDisk one, SimDisk other) {
      return new Two(
          new SimulatedStore(one, from.clock.instant().plusSeconds(5), 8),
          new SimulatedStore(other, to.clock.instant().plusSeconds(5), 9));
    }

    static Set<JobId> jobs(SimulatedStore store) {
      return new HashSet<>(store.store.list(Query.all()));
    }

    void assertOneOfEach(Set<JobId> all, String where) {
      Set<JobId> here = jobs(from);
      Set<JobId> there = jobs(to);
      Set<JobId> onTheWay = new HashSet<>();
      from.store.movable("from").forEachTakenOut(job -> onTheWay.add(job.id()));
      for (JobId id : all) {
        assertThat(here.contains(id) && there.contains(id)).as("twice, " + where).isFalse();
        assertThat(here.contains(id) || there.contains(id) || onTheWay.contains(id))
            .as("lost, " + where)
            .isTrue();
      }
    }
  }

  /** What a user sees of all jobs; a recovery adds to their logs. */
  private static Map<JobId, List<Object>> sight(SimulatedStore store) {
    Map<JobId, List<Object>> all = new TreeMap<>();
    for (JobId id : Two.jobs(store)) {
      JobView view = store.store.find(id).orElseThrow();
      List<Object> seen = new ArrayList<>(List.of(view.state(), view.header()));
      view.stages()
          .forEach(
              stage -> {
                for (TaskView task : store.store.tasks(id, stage.number(), 1, 100)) {
                  seen.add(task);
                  seen.add(store.store.outputSoFar(id, stage.number(), task.task(), 0).pieces());
                  seen.add(store.store.partialOutput(id, stage.number(), task.task()));
                }
              });
      all.put(id, seen);
    }
    return all;
  }

  @Test
  void aCrashAtAnyOperationNeitherLosesNorDoublesAJob() {
    Two reference = Two.fresh();
    Map<JobId, List<Object>> before = sight(reference.from());
    assertThat(before.values().stream().map(List::getFirst)).contains(JobState.PAUSED);
    int[] first = {reference.from().disk.operations(), reference.to().disk.operations()};
    reference.move();
    assertThat(sight(reference.to())).isEqualTo(before);
    int[] last = {reference.from().disk.operations(), reference.to().disk.operations()};
    for (int disk = 0; disk < 2; disk++) {
      for (int n = first[disk] + 1; n <= last[disk]; n++) {
        Two two = Two.fresh();
        Set<JobId> all = Two.jobs(two.from());
        SimDisk stopped = disk == 0 ? two.from().disk : two.to().disk;
        stopped.stopAt(n, n % 2 == 0 ? Cut.BEFORE : Cut.AFTER);
        String where = "disk " + disk + ", operation " + n + ", seed " + SEED;
        try {
          two.move();
        } catch (Stopped e) {
          where += ": " + e.getMessage();
        }
        finish(two.afterKill(), all, where + ", kill");
        Loss loss = Loss.values()[n % Loss.values().length];
        finish(two.afterPowerLoss(loss, n), all, where + ", " + loss);
      }
    }
  }

  @Test
  void anErrorAtAnyOperationLeavesTheJobsToTheNextRun() {
    Two reference = Two.fresh();
    int[] first = {reference.from().disk.operations(), reference.to().disk.operations()};
    reference.move();
    int[] last = {reference.from().disk.operations(), reference.to().disk.operations()};
    for (int disk = 0; disk < 2; disk++) {
      for (int n = first[disk] + 1; n <= last[disk]; n++) {
        Two two = Two.fresh();
        Set<JobId> all = Two.jobs(two.from());
        SimDisk failing = disk == 0 ? two.from().disk : two.to().disk;
        int from = n;
        failing.failBy(
            op ->
                op.number() >= from
                    ? new FileSystemException("/ws", null, "No space left on device")
                    : null);
        String where = "disk " + disk + ", full from operation " + n;
        try {
          two.move();
        } catch (StoreException e) {
          where += ": " + e.getMessage();
        }
        failing.heal();
        finish(two.afterKill(), all, where);
      }
    }
  }

  private static void finish(Two two, Set<JobId> all, String where) {
    two.assertOneOfEach(all, where);
    two.move();
    assertThat(Two.jobs(two.from())).as(where).isEmpty();
    assertThat(Two.jobs(two.to())).as(where).isEqualTo(all);
    Two later = two.afterPowerLoss(Loss.NOTHING_SURVIVES, 1);
    assertThat(Two.jobs(later.to())).as(where + ", a power loss after the end").isEqualTo(all);
    later
        .from()
        .store
        .movable("from")
        .forEachTakenOut(job -> assertThat(job.arrived()).as(where).isTrue());
    for (JobId id : all) {
      later.to().store.find(id).orElseThrow();
      assertThat(later.to().store.tasks(id, 1, 1, 100)).as(where).isNotEmpty();
    }
  }
}
