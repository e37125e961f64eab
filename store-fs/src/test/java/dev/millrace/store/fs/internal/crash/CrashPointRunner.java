package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.JobFinisher;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.VisibleState;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Runs a scenario once undisturbed and records what a user sees after each acknowledgement; then
 * repeatedly, each time stopped at another operation of the disk. After a kill or a power loss, the
 * next program must find each job as after the last acknowledgement or as after the one that did
 * not come, and must bring it to its expected end.
 */
final class CrashPointRunner {
  private final CrashScenario scenario;
  private final long seed;
  private final boolean thorough;
  private final boolean canSyncAll;
  int points;
  int kills;
  int losses;
  int second;

  /**
   * @param thorough many seeds and many second crashes, instead of a few
   */
  CrashPointRunner(CrashScenario scenario, long seed, boolean thorough, boolean canSyncAll) {
    this.scenario = scenario;
    this.seed = seed;
    this.thorough = thorough;
    this.canSyncAll = canSyncAll;
  }

  /**
   * A run that was stopped.
   *
   * @param sights what may be seen of a job after it: one of these
   */
  private record Crashed(SimDisk disk, Instant at, List<Claim> claims, List<VisibleState> sights) {
    Crashed on(SimDisk found) {
      return new Crashed(found, at, claims, sights);
    }

    /** The next run, on a copy of the disk. */
    SimulatedStore reopen() {
      return new SimulatedStore(disk.afterKill(), at.plusSeconds(5), 8);
    }
  }

  void run() {
    SimulatedStore reference = SimulatedStore.fresh(canSyncAll);
    scenario.before().accept(reference);
    int first = reference.disk.operations() + 1;
    List<VisibleState> sights = sights(reference);
    scenario.act().accept(reference);
    int last = reference.disk.operations();
    for (int n = first; n <= last; n++) {
      What what = reference.disk.operation(n).what();
      for (Cut cut : Cut.values()) {
        // After an operation is before the next one, except for the last.
        if (cut == Cut.BEFORE
            || cut == Cut.MIDDLE && what == What.PUT_BYTES
            || cut == Cut.AFTER && (n == last || thorough)) {
          crashAt(n, cut, sights);
        }
      }
    }
  }

  /** Records what is seen now and after each later acknowledgement. */
  private static List<VisibleState> sights(SimulatedStore rig) {
    List<VisibleState> sights = new ArrayList<>(List.of(VisibleState.of(rig.store)));
    rig.observe(() -> sights.add(VisibleState.of(rig.store)));
    return sights;
  }

  private void crashAt(int n, Cut cut, List<VisibleState> sights) {
    points++;
    SimulatedStore rig = SimulatedStore.fresh(canSyncAll);
    scenario.before().accept(rig);
    int earlier = rig.acknowledged();
    rig.disk.stopAt(n, cut);
    String where = "not reached";
    try {
      scenario.act().accept(rig);
    } catch (Stopped e) {
      where = e.getMessage();
    }
    int told = rig.acknowledged() - earlier;
    Crashed crashed =
        new Crashed(
            rig.disk,
            rig.clock.instant(),
            rig.claims,
            sights.subList(told, Math.min(told + 2, sights.size())));
    named(
        "\"" + scenario + "\", stopped " + where + ", seed " + seed,
        () -> aftermath(crashed, n * 3L + cut.ordinal()));
  }

  private static void named(String name, Runnable check) {
    try {
      check.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          name + ": " + e.getMessage(), e.getCause() == null ? e : e.getCause());
    }
  }

  /** Opens the store again on what a kill or a power loss leaves. */
  private void aftermath(Crashed crashed, long salt) {
    kills++;
    named("kill", () -> survives(crashed));
    if (thorough || (seed + points) % 2 == 0) { // half of the points in one run, by its seed
      again("kill", crashed, salt);
    }
    for (Loss loss : Loss.values()) {
      boolean fixed = loss == Loss.NOTHING_SURVIVES || loss == Loss.EVERYTHING_SURVIVES;
      int times = fixed ? 1 : thorough ? 12 : 2;
      for (int i = 0; i < times; i++) {
        losses++;
        SplittableRandom random = new SplittableRandom(seed + salt * 1_000 + i);
        Crashed lost = crashed.on(crashed.disk().afterPowerLoss(loss, random));
        named(loss + " " + i, () -> survives(lost));
        if (i == 0 && (thorough || salt % 5 == 0)) {
          again(loss + " " + i, lost, salt);
        }
      }
    }
  }

  /** Opens a store, compares, and continues to the end. */
  private void survives(Crashed crashed) {
    SimulatedStore rig = crashed.reopen();
    VisibleState sight = VisibleState.of(rig.store);
    TreeSet<JobId> jobs = new TreeSet<>(sight.jobs().keySet());
    crashed.sights().forEach(allowed -> jobs.addAll(allowed.jobs().keySet()));
    for (JobId id : jobs) {
      assertThat(sight.of(id))
          .as("job %s, as it was or as it was to be", id)
          .isIn(crashed.sights().stream().map(allowed -> allowed.of(id)).toList());
    }
    WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
    WorkspaceInvariants.fenced(rig.store, crashed.claims());
    Map<JobId, JobState> ends = JobFinisher.expected(rig.store);
    JobFinisher.drive(rig);
    JobFinisher.check(rig, ends);
    // What was acknowledged meanwhile is durable, even if the run started on a disk that was not.
    SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(seed));
    SimulatedStore last = new SimulatedStore(found, rig.clock.instant(), 9);
    named("a power loss after the end", () -> JobFinisher.check(last, ends));
  }

  /**
   * Stops the next run too, at some operations of its recovery or its work, once by a kill and once
   * by a power loss.
   */
  private void again(String how, Crashed crashed, long salt) {
    SimulatedStore reference = crashed.reopen();
    int opening = reference.disk.operations();
    List<VisibleState> sights = sights(reference);
    JobFinisher.drive(reference);
    int all = reference.disk.operations();
    int stride = thorough ? 5 : Math.max(1, all / 3);
    for (int n = 1 + (int) (salt % stride); n <= all; n += stride) {
      second++;
      String where =
          how
              + ", then "
              + (n <= opening ? "recovery" : "work")
              + " stopped before "
              + reference.disk.operation(n);
      Crashed next = stoppedAgain(crashed, n, sights);
      named(where + ", kill", () -> survives(next));
      Loss loss = Loss.values()[(int) ((salt + n) % Loss.values().length)];
      SplittableRandom random = new SplittableRandom(seed + salt * 1_000 + n);
      named(where + ", " + loss, () -> survives(next.on(next.disk().afterPowerLoss(loss, random))));
    }
  }

  private static Crashed stoppedAgain(Crashed crashed, int n, List<VisibleState> undisturbed) {
    SimDisk disk = crashed.disk().afterKill();
    disk.stopAt(n, Cut.BEFORE);
    SimulatedStore rig;
    try {
      rig = new SimulatedStore(disk, crashed.at().plusSeconds(5), 8);
    } catch (Stopped e) {
      return crashed.on(disk);
    }
    try {
      JobFinisher.drive(rig);
    } catch (Stopped e) {
      // expected
    }
    int told = rig.acknowledged();
    List<VisibleState> allowed =
        new ArrayList<>(undisturbed.subList(told, Math.min(told + 2, undisturbed.size())));
    // If nothing more was acknowledged for a job, what was seen is no promise.
    crashed
        .sights()
        .forEach(sight -> allowed.add(sight.where(undisturbed.getFirst(), undisturbed.get(told))));
    List<Claim> claims = new ArrayList<>(crashed.claims());
    claims.addAll(rig.claims);
    return new Crashed(disk, rig.clock.instant(), claims, allowed);
  }
}
