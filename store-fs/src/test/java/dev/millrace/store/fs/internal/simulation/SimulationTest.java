package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Simulates a store over many seeds. {@code -Dmillrace.seed=…} starts with that seed, and {@code
 * -Dmillrace.proof=true} goes on for an hour.
 */
@Tag("slow")
class SimulationTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final long SEED = Long.getLong("millrace.seed", PROOF ? System.nanoTime() : 1);
  private static final int SEEDS = 150;

  /** The least seeds in which all methods are called. */
  private static final int ENOUGH = 60;

  private static final Duration LONGEST = PROOF ? Duration.ofHours(1) : Duration.ofSeconds(45);

  /** How long one seed may take. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Logger LOG = Logger.getLogger("dev.millrace.store");

  private volatile int seed;

  @BeforeEach
  void silenceTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void restoreTheLog() {
    LOG.setLevel(null);
  }

  @Test
  void whatAnyCallerWasToldIsTrueInEveryOrderOfThreadsAndFaults() {
    assertTimeoutPreemptively(
        LONGEST.plus(PATIENCE), this::runSeeds, () -> "it hangs in seed " + (SEED + seed - 1));
  }

  private void runSeeds() throws InterruptedException {
    System.out.println("SimulationTest: seeds from " + SEED);
    StoreCalls calls = new StoreCalls();
    long end = System.nanoTime() + LONGEST.toNanos();
    while ((PROOF || seed < SEEDS) && System.nanoTime() < end) {
      seed++;
      Simulation.run(SEED + seed - 1, calls);
    }
    System.out.println("SimulationTest: " + seed + " seeds");
    if (seed >= ENOUGH) {
      assertThat(calls.missing()).as("methods of the store that nobody called").isEmpty();
    }
  }

  @Test
  void theSameSeedTakesTheSameSteps() throws InterruptedException {
    for (long seed = SEED; seed < SEED + 3; seed++) {
      assertThat(Simulation.run(seed, new StoreCalls()))
          .as("seed %s", seed)
          .isEqualTo(Simulation.run(seed, new StoreCalls()));
    }
  }
}
