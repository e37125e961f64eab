package dev.millrace.store.fs.internal.simulation;

import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.time.Duration;

/** What runs now and then: sweeps, or scans of the workspace; the clock jumps meanwhile. */
final class Housekeeping implements Runnable {
  private final World world;
  private final boolean sweeps;

  Housekeeping(World world, boolean sweeps) {
    this.world = world;
    this.sweeps = sweeps;
  }

  @Override
  public void run() {
    if (sweeps) {
      world.ask(world.store::sweep);
    } else {
      world.ask(() -> world.store.isIdle(SimulatedStore.TYPES));
    }
    if (world.oneIn(40)) {
      long seconds = world.random.nextLong(1, 7_200);
      world.clock.jump(Duration.ofSeconds(world.random.nextBoolean() ? seconds : -seconds));
    }
    try {
      world.scheduler.sleep(Duration.ofMillis(1 + world.random.nextInt(20)));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String toString() {
    return sweeps ? "sweeper" : "scanner";
  }
}
