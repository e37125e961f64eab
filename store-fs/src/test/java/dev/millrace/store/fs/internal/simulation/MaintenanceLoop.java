package dev.millrace.store.fs.internal.simulation;

import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.time.Duration;

/** What runs now and then: sweeps, or scans of the workspace; the clock jumps meanwhile. */
final class MaintenanceLoop implements Runnable {
  private final ActorContext context;
  private final boolean sweeps;

  MaintenanceLoop(ActorContext context, boolean sweeps) {
    this.context = context;
    this.sweeps = sweeps;
  }

  @Override
  public void run() {
    if (sweeps) {
      context.ask(context.store::sweep);
    } else {
      context.ask(() -> context.store.isIdle(SimulatedStore.TYPES));
    }
    if (context.oneIn(40)) {
      long seconds = context.random.nextLong(1, 7_200);
      context.clock.jump(Duration.ofSeconds(context.random.nextBoolean() ? seconds : -seconds));
    }
    try {
      context.scheduler.sleep(Duration.ofMillis(1 + context.random.nextInt(20)));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String toString() {
    return sweeps ? "sweeper" : "scanner";
  }
}
