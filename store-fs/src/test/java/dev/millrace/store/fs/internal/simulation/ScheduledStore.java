package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A store for tests of a few threads that meet in all kinds of order. */
final class ScheduledStore {
  /** The orders of threads that each test tries: enough to meet the one that it is about. */
  private static final int SEEDS = 150;

  final SimDisk disk = new SimDisk();
  final StepTrace trace = new StepTrace();
  final Scheduler scheduler;
  final FsSettings settings;
  private JobStore store;

  ScheduledStore(long seed) {
    this.scheduler = new Scheduler(new SplittableRandom(seed), trace, 0);
    SimulatedClock clock = new SimulatedClock(scheduler::nanoTime, Duration.ZERO);
    this.settings =
        new FsSettings(
                SimulatedStore.ROOT,
                disk,
                clock,
                new JobIdGenerator(clock, 7)::next,
                new SplittableRandom(seed))
            .withThreading(scheduler);
  }

  /** Runs a test in many orders of its threads. */
  static void inManyOrders(LongConsumer test) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        test.accept(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  JobStore store() {
    return store;
  }

  /** Opens the store, runs {@code first} alone, then the others at the same time. */
  void run(Consumer<JobStore> first, Runnable... others) {
    disk.observeBy(
        new SimDisk.Observer() {
          @Override
          public void before(What what, Path path) {
            scheduler.step(what.name(), path);
          }
        });
    scheduler.start(
        "main",
        () -> {
          store = FsStore.openUnlocked(settings);
          first.accept(store);
          for (Runnable other : others) {
            scheduler.start("other", other);
          }
        });
    try {
      scheduler.run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The power fails: only what was synced is there. */
  SimulatedStore afterPowerLoss() {
    return new SimulatedStore(
        disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1)),
        settings.clock().instant(),
        8);
  }
}
