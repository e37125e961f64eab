package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A crash at every operation of the disk, by a kill and by a power loss. The seed is that of
 * {@code -Dmillrace.seed=…}; {@code -Dmillrace.proof=true} tries many times as much.
 */
@Tag("slow")
class CrashPointTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");
  private static final LongAdder POINTS = new LongAdder();
  private static final LongAdder KILLS = new LongAdder();
  private static final LongAdder LOSSES = new LongAdder();
  private static final LongAdder SECOND = new LongAdder();

  @BeforeAll
  static void captureTheLog() {
    LOG.setLevel(Level.OFF);
  }

  static Stream<CrashScenario> scenarios() {
    return CrashScenario.all();
  }

  @AfterAll
  static void sayHowMuchWasTried() {
    LOG.setLevel(null);
    System.out.println(
        "crash points "
            + POINTS
            + ", kills "
            + KILLS
            + ", power losses "
            + LOSSES
            + ", crashes after a crash "
            + SECOND
            + ", seed "
            + SEED);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void nothingAcknowledgedIsLostAtAnyCrashPoint(CrashScenario scenario) {
    prove(new CrashPointRunner(scenario, SEED, PROOF, false));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  @EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
  void nothingAcknowledgedIsLostWithOneSyncOfEverything(CrashScenario scenario) {
    prove(new CrashPointRunner(scenario, SEED, PROOF, true));
  }

  private static void prove(CrashPointRunner proof) {
    proof.run();
    POINTS.add(proof.points);
    KILLS.add(proof.kills);
    LOSSES.add(proof.losses);
    SECOND.add(proof.second);
    assertThat(proof.points).isPositive();
  }

  @Test
  void aHalfCreatedWorkspaceIsCompleted() {
    SimDisk whole = new SimDisk();
    new SimulatedStore(whole, ManualClock.START, 7);
    for (int n = 1; n <= whole.operations(); n++) {
      SimDisk disk = new SimDisk();
      disk.stopAt(n, Cut.BEFORE);
      try {
        new SimulatedStore(disk, ManualClock.START, 7);
      } catch (Stopped e) {
        POINTS.increment();
      }
      String where = "stopped before " + whole.operation(n) + ", seed " + SEED;
      aJobIsSafe(disk.afterKill(), where);
      for (Loss loss : Loss.values()) {
        LOSSES.increment();
        aJobIsSafe(disk.afterPowerLoss(loss, new SplittableRandom(SEED + n)), where + ", " + loss);
      }
    }
  }

  private static void aJobIsSafe(SimDisk disk, String where) {
    SimulatedStore rig = new SimulatedStore(disk, ManualClock.START, 8);
    JobId id = rig.submit(TestJobSpecs.plain("x"));
    SimDisk found = disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    assertThat(new SimulatedStore(found, ManualClock.START, 9).store.state(id))
        .as(where)
        .isPresent();
  }
}
