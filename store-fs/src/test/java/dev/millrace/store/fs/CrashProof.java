package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.store.fs.SimDisk.Cut;
import dev.millrace.store.fs.SimDisk.Stopped;
import dev.millrace.store.fs.SimDisk.What;
import dev.millrace.store.fs.SimFiles.Loss;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Runs a scenario once undisturbed, writing down what a user sees after each acknowledgement; then
 * again and again, each time stopped at another operation of the disk. Whatever the next program
 * finds then, by a kill or a power loss, each job must look as after the last acknowledgement or as
 * after the one that did not come, and must go on to its right end.
 */
final class CrashProof {
  private final Scenario scenario;
  private final long seed;
  private final boolean thorough;
  int points;
  int kills;
  int losses;
  int second;

  /**
   * @param thorough many seeds and every second crash, instead of a few
   */
  CrashProof(Scenario scenario, long seed, boolean thorough) {
    this.scenario = scenario;
    this.seed = seed;
    this.thorough = thorough;
  }

  /** A life that ended in the middle. */
  private record Crashed(SimDisk disk, Instant at, List<Claim> claims, Sight before, Sight after) {
    /** The same with another disk, which is not touched. */
    Crashed on(SimDisk found) {
      return new Crashed(found, at, claims, before, after);
    }
  }

  void run() {
    Rig reference = Rig.fresh();
    scenario.before().accept(reference);
    int first = reference.disk.operations() + 1;
    List<Sight> sights = new ArrayList<>(List.of(Sight.of(reference.store)));
    reference.observe(() -> sights.add(Sight.of(reference.store)));
    scenario.act().accept(reference);
    int last = reference.disk.operations();
    for (int n = first; n <= last; n++) {
      What what = reference.disk.operation(n).what();
      for (Cut cut : Cut.values()) {
        // After an operation is before the next one, but for the last.
        if (cut == Cut.BEFORE || cut == Cut.MIDDLE && what == What.PUT_BYTES
            || cut == Cut.AFTER && (n == last || thorough)) {
          crashAt(n, cut, sights);
        }
      }
    }
  }

  private void crashAt(int n, Cut cut, List<Sight> sights) {
    points++;
    Rig rig = Rig.fresh();
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
    Crashed crashed = new Crashed(rig.disk, rig.clock.instant(), rig.claims, sights.get(told),
        sights.get(Math.min(told + 1, sights.size() - 1)));
    try {
      aftermath(crashed, n * 3L + cut.ordinal());
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("scenario \"" + scenario + "\", stopped " + where + ", seed " + seed
          + ": " + e.getMessage(), e.getCause() == null ? e : e.getCause());
    }
  }

  /** The store is opened again on what a kill or a power loss leaves. */
  private void aftermath(Crashed crashed, long salt) {
    kills++;
    Crashed killed = crashed.on(crashed.disk().afterKill());
    named("kill", () -> survives(killed));
    named("crash in the recovery from a kill", () -> again(killed, salt));
    for (Loss loss : Loss.values()) {
      boolean fixed = loss == Loss.NOTHING_SURVIVES || loss == Loss.EVERYTHING_SURVIVES;
      int times = fixed ? 1 : thorough ? 12 : 2;
      for (int i = 0; i < times; i++) {
        SplittableRandom random = new SplittableRandom(seed + salt * 1_000 + i);
        losses++;
        String name = loss + " " + i;
        Crashed lost = crashed.on(crashed.disk().afterPowerLoss(loss, random));
        named(name, () -> survives(lost));
        if (i == 0 && (thorough || salt % 5 == 0)) {
          named("crash in the recovery from " + name, () -> again(lost, salt));
        }
      }
    }
  }

  private static void named(String name, Runnable check) {
    try {
      check.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(name + ": " + e.getMessage(), e.getCause() == null ? e : e.getCause());
    }
  }

  /** Opens a store, compares, and goes on to the end. */
  private void survives(Crashed crashed) {
    Rig rig = open(crashed);
    Map<JobId, JobState> ends = Ending.expected(rig.store);
    Checks.fenced(rig.store, crashed.claims());
    Ending.drive(rig);
    Ending.check(rig, ends);
    // What was acknowledged on the way is durable, though it began on a disk that was not.
    SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(seed));
    Rig last = new Rig(found, rig.clock.instant(), 9);
    named("a power loss after the end", () -> Ending.check(last, ends));
  }

  private Rig open(Crashed crashed) {
    Rig rig = new Rig(crashed.disk().afterKill(), crashed.at().plusSeconds(5), 8);
    Sight sight = Sight.of(rig.store);
    compare(sight, crashed);
    Checks.hold(rig.disk, Rig.PLACES, rig.store);
    return rig;
  }

  private static void compare(Sight sight, Crashed crashed) {
    TreeSet<JobId> all = new TreeSet<>(sight.jobs().keySet());
    all.addAll(crashed.before().jobs().keySet());
    for (JobId id : all) {
      assertThat(sight.of(id)).as("job %s, as it was or as it was to be", id)
          .isIn(crashed.before().of(id), crashed.after().of(id));
    }
  }

  /** The recovery is stopped too, at some of its operations or at each, and then the power goes. */
  private void again(Crashed crashed, long salt) {
    SimDisk whole = crashed.disk().afterKill();
    Rig counted = new Rig(whole, crashed.at().plusSeconds(5), 8);
    int opening = whole.operations();
    Ending.drive(counted);
    int all = whole.operations();
    int stride = thorough ? 1 : Math.max(1, all / 3);
    for (int n = 1 + (int) (salt % stride); n <= all; n += stride) {
      SimDisk disk = crashed.disk().afterKill();
      second++;
      List<Sight> sights = new ArrayList<>();
      List<Claim> claims = new ArrayList<>(crashed.claims());
      Instant now = stopped(disk, n, crashed, sights, claims);
      Sight before = sights.isEmpty() ? crashed.before() : sights.getLast();
      // While it is being opened nothing is acknowledged; later, one thing at a time may be half done.
      Sight after = sights.isEmpty() ? crashed.after() : undisturbedAfter(crashed, sights.size());
      Loss loss = Loss.values()[(int) ((salt + n) % Loss.values().length)];
      SplittableRandom random = new SplittableRandom(seed + salt * 1_000 + n);
      Crashed next = new Crashed(disk, now, claims, before, after);
      String where = (n <= opening ? "opening" : "work") + ", operation " + disk.operation(n);
      named(where + ", kill", () -> survives(next.on(disk.afterKill())));
      named(where + ", " + loss,
          () -> survives(next.on(disk.afterPowerLoss(loss, random))));
    }
  }

  private Instant stopped(SimDisk disk, int n, Crashed crashed, List<Sight> sights,
      List<Claim> claims) {
    disk.stopAt(n, Cut.BEFORE);
    Instant now = crashed.at().plusSeconds(5);
    Rig rig = null;
    try {
      rig = new Rig(disk, now, 8);
      Rig observed = rig;
      sights.add(Sight.of(rig.store));
      rig.observe(() -> sights.add(Sight.of(observed.store)));
      Ending.drive(rig);
    } catch (Stopped e) {
      // as it should be
    }
    if (rig != null) {
      claims.addAll(rig.claims);
      now = rig.clock.instant();
    }
    return now;
  }

  /** What is seen after one acknowledgement more, in a life that goes on. */
  private Sight undisturbedAfter(Crashed crashed, int acknowledgements) {
    Rig rig = new Rig(crashed.disk().afterKill(), crashed.at().plusSeconds(5), 8);
    List<Sight> sights = new ArrayList<>(List.of(Sight.of(rig.store)));
    rig.observe(() -> sights.add(Sight.of(rig.store)));
    Ending.drive(rig);
    return sights.get(Math.min(acknowledgements, sights.size() - 1));
  }
}
