package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Op;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.JobFinisher;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.VisibleState;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An Error at every file operation, also those that only read. The process lives on: the same store
 * shows each job as it was or as it was to be, and brings it to its end. The next owner finds the
 * same after a kill or a power loss. The seed ({@code -Dmillrace.seed=…}) chooses whether an
 * operation has no effect, half or all of it; {@code -Dmillrace.proof=true} tries each.
 */
@Tag("slow")
class SurvivedErrorTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");
  private static final LongAdder POINTS = new LongAdder();
  private static final LongAdder BROKEN = new LongAdder();

  @BeforeAll
  static void silenceTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void sayHowMuchWasTried() {
    LOG.setLevel(null);
    System.out.println("errors " + POINTS + ", of these in a sync " + BROKEN + ", seed " + SEED);
  }

  static Stream<CrashScenario> scenarios() {
    return CrashScenario.all();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void anErrorAtAnyFileOperationIsSurvived(CrashScenario scenario) {
    SimulatedStore reference = SimulatedStore.fresh();
    scenario.before().accept(reference);
    List<VisibleState> sights = new ArrayList<>(List.of(VisibleState.of(reference.store)));
    CountedFault counted = CountedFault.counting(reference.disk);
    reference.observe(() -> counted.pause(() -> sights.add(VisibleState.of(reference.store))));
    scenario.act().accept(reference);
    for (int n = 1; n <= counted.count(); n++) {
      for (int effect : effects(n, counted.op(n))) {
        String where = scenario + ", operation " + counted.op(n) + ", done " + effect;
        int number = n;
        named(where + ", seed " + SEED, () -> survives(scenario, number, effect, sights));
      }
    }
    assertThat(counted.count()).isPositive();
  }

  /** How many thousandths of the operation are done when the Error is thrown. */
  private static List<Integer> effects(int n, Op op) {
    List<Integer> all =
        op.what() == SimDisk.What.PUT_BYTES ? List.of(0, 500, 1000) : List.of(0, 1000);
    return PROOF ? all : List.of(all.get(Math.floorMod(SEED + n, all.size())));
  }

  private static void named(String name, Runnable check) {
    try {
      check.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(name + ": " + e.getMessage(), e);
    }
  }

  private static Error error(int n) {
    return n % 2 == 0 ? new OutOfMemoryError("injected") : new StackOverflowError("injected");
  }

  private static void survives(
      CrashScenario scenario, int n, int effect, List<VisibleState> sights) {
    POINTS.increment();
    SimulatedStore rig = SimulatedStore.fresh();
    scenario.before().accept(rig);
    int earlier = rig.acknowledged();
    Error error = error(n);
    CountedFault fault = CountedFault.throwing(rig.disk, n, effect, error);
    Throwable problem = catchThrowable(() -> scenario.act().accept(rig));
    boolean refused = problem instanceof StoreBrokenException;
    boolean broken = refused || fault.op(n).what().syncs();
    rig.disk.heal();
    int told = rig.acknowledged() - earlier;
    // A claim or a sweep that skips a job is acknowledged, but says nothing about that job.
    boolean skipped = problem != error && !refused;
    List<VisibleState> allowed =
        sights.subList(Math.max(0, skipped ? told - 1 : told), Math.min(told + 2, sights.size()));
    if (PROOF || Math.floorMod(SEED + n, 3) == 0) {
      named("killed", () -> reopened(rig, rig.disk.afterKill(), allowed));
      for (Loss loss : PROOF ? Loss.values() : new Loss[] {Loss.NOTHING_SURVIVES}) {
        SimDisk found = rig.disk.afterPowerLoss(loss, new SplittableRandom(SEED + n));
        named(loss.toString(), () -> reopened(rig, found, allowed));
      }
    }
    if (broken) {
      BROKEN.increment(); // everything is refused from here on, which ends the server
    } else {
      named("in the same process", () -> goesOn(rig, allowed));
    }
  }

  /** The next owner finds what was acknowledged, and no more than was asked for. */
  private static void reopened(SimulatedStore rig, SimDisk found, List<VisibleState> allowed) {
    SimulatedStore next = new SimulatedStore(found, rig.clock.instant().plusSeconds(5), 8);
    isOneOf(VisibleState.of(next.store), allowed);
    WorkspaceInvariants.hold(next.disk, SimulatedStore.PLACES, next.store);
    WorkspaceInvariants.fenced(next.store, rig.claims);
    Map<JobId, JobState> ends = JobFinisher.expected(next.store);
    JobFinisher.drive(next);
    JobFinisher.check(next, ends);
  }

  private static void isOneOf(VisibleState sight, List<VisibleState> allowed) {
    Set<JobId> jobs = new TreeSet<>(sight.jobs().keySet());
    allowed.forEach(each -> jobs.addAll(each.jobs().keySet()));
    for (JobId id : jobs) {
      assertThat(sight.of(id))
          .as("job %s, as it was or as it was to be", id)
          .isIn(allowed.stream().map(each -> each.of(id)).toList());
    }
  }

  /** Workers answer again, users ask again, until all jobs have ended: no claim is stuck. */
  private static void goesOn(SimulatedStore rig, List<VisibleState> allowed) {
    JobId another = rig.submit(TestJobSpecs.plain("another"));
    rig.store.isIdle(SimulatedStore.TYPES); // lists the ready jobs again
    rig.sweep();
    VisibleState sight = VisibleState.of(rig.store);
    sight.jobs().remove(another);
    isOneOf(sight, allowed);
    for (Claim claim : List.copyOf(rig.claims)) {
      rig.store.complete(claim, SimulatedStore.answerOf(claim));
    }
    Map<JobId, JobState> ends = JobFinisher.expected(rig.store);
    JobFinisher.drive(rig);
    JobFinisher.check(rig, ends);
    Set<String> tokens = new HashSet<>();
    for (Claim claim : rig.claims) {
      assertThat(tokens.add(claim + " " + claim.key().token()))
          .as("%s is given to one worker", claim)
          .isTrue();
    }
    SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    SimulatedStore last = new SimulatedStore(found, rig.clock.instant(), 9);
    named("a power loss after the end", () -> JobFinisher.check(last, ends));
  }
}
