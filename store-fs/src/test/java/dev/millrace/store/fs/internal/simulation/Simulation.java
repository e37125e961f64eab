package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.random.StatusCountsCheck;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * One run: a process that owns a workspace lives and ends a few times, with many threads and another
 * process beside it. Whenever it starts again, what any caller was told must be true. In the end all
 * jobs are brought to their ends.
 */
final class Simulation {
  private final long seed;
  private final SplittableRandom random;
  private final StepTrace trace = new StepTrace();
  private final History history = new History();
  private final StoreCalls calls;
  private SimDisk disk;
  private long nanos;
  private Duration ahead = Duration.ZERO;
  private int life;
  private final List<String> faults = new ArrayList<>();

  private Simulation(long seed, StoreCalls calls) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.calls = calls;
    this.disk = new SimDisk(random.nextInt(4) == 0);
  }

  /**
   * Runs one seed; the hash of all its steps.
   *
   * @param calls gets the methods of the store that were called
   */
  static long run(long seed, StoreCalls calls) throws InterruptedException {
    Simulation simulation = new Simulation(seed, calls);
    try {
      simulation.run();
      return simulation.trace.hash();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed "
              + seed
              + ", step "
              + simulation.trace.steps()
              + ", life "
              + simulation.life
              + ": "
              + e.getMessage()
              + "\nlives: "
              + String.join("; ", simulation.faults)
              + "\nthe last steps:\n"
              + simulation.trace,
          e);
    }
  }

  private void run() throws InterruptedException {
    int lives = 2 + random.nextInt(3);
    for (life = 1; life <= lives; life++) {
      live();
    }
    finish();
  }

  private void live() throws InterruptedException {
    history.beginLife();
    Scheduler scheduler = new Scheduler(random, trace, nanos);
    SimulatedClock clock = new SimulatedClock(scheduler::nanoTime, ahead);
    Faults planned = new Faults(random, scheduler, disk);
    faults.add(planned.toString());
    FsSettings settings = settings(scheduler, clock, 7);
    scheduler.start("main", () -> main(scheduler, clock, settings, planned));
    scheduler.run();
    nanos = scheduler.nanoTime();
    ahead = clock.ahead();
    disk = planned.survivor();
  }

  private FsSettings settings(Scheduler scheduler, SimulatedClock clock, long process) {
    return new FsSettings(
            SimulatedStore.ROOT,
            disk,
            clock,
            new JobIdGenerator(clock, process * 100 + life)::next,
            random)
        .withThreading(scheduler);
  }

  /** The first thread: opens the store, checks it, and starts the others. */
  private void main(
      Scheduler scheduler, SimulatedClock clock, FsSettings settings, Faults planned) {
    FsStore opened = FsStore.openUnlocked(settings);
    JobStore store = calls.of(opened); // what a check calls does not count
    check(opened);
    ActorContext context =
        new ActorContext(random, scheduler, clock, settings, store, history, planned);
    List<SimulatedThread> actors = start(context, settings(scheduler, clock, 8));
    planned.begin();
    await(scheduler, () -> actors.stream().allMatch(actor -> actor.ended));
    planned.end();
    if (!context.isBroken()) {
      checkAlive(context, scheduler, opened, planned);
    }
    if (random.nextBoolean()) {
      store.close();
    }
    scheduler.kill();
  }

  private List<SimulatedThread> start(ActorContext context, FsSettings other) {
    long epoch = epoch();
    OtherProcess neighbour = new OtherProcess(other);
    List<SimulatedThread> actors = new ArrayList<>();
    JobStore store = context.store;
    List<Runnable> work =
        List.of(
            new Submissions(context, store, other.ids()),
            new Submissions(context, neighbour.submitter(), other.ids()),
            new LeverClient(context, store, true),
            new LeverClient(context, store, true),
            new LeverClient(context, neighbour, false),
            new SimulatedWorker(context, epoch),
            new SimulatedWorker(context, epoch),
            new SimulatedWorker(context, epoch),
            new Reader(context),
            new NoteClient(context),
            new NoteClient(context));
    store.onLever(_ -> {});
    store.onChange(_ -> {});
    store.onWork(new WorkListener() {});
    int crowd = random.nextInt(3); // some faults need that little else happens
    for (Runnable actor : work) {
      boolean left =
          switch (crowd) {
            case 0 -> false;
            case 1 -> random.nextInt(3) == 0;
            default ->
                actor instanceof Reader || actor instanceof NoteClient || random.nextInt(4) == 0;
          };
      if (left) {
        continue;
      }
      int times = 2 + random.nextInt(crowd > 0 ? 6 : 12);
      actors.add(
          context.scheduler.start(
              actor.getClass().getSimpleName() + actors.size(),
              () -> {
                for (int i = 0; i < times && !context.isBroken(); i++) {
                  actor.run();
                }
              }));
    }
    List<SimulatedThread> busy = List.copyOf(actors);
    Stream.of(new MaintenanceLoop(context, true), new MaintenanceLoop(context, false))
        .forEach(
            keeper ->
                actors.add(
                    context.scheduler.start(
                        keeper.toString(),
                        () -> {
                          while (!context.isBroken() && busy.stream().anyMatch(one -> !one.ended)) {
                            keeper.run();
                          }
                        })));
    return actors;
  }

  private long epoch() {
    try {
      byte[] text = disk.read(SimulatedStore.PLACES.internalPath("epoch"), 100);
      return Long.parseLong(new String(text, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void check(JobStore store) {
    new HistoryCheck(history, store).run();
    WorkspaceInvariants.hold(disk, SimulatedStore.PLACES, store);
  }

  private static void sleep(Scheduler scheduler, Duration time) {
    try {
      scheduler.sleep(time);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(Scheduler scheduler, BooleanSupplier condition) {
    try {
      scheduler.awaitUntil(condition);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks the store while it lives, unless an Error has cut a sync short: then it refuses all. */
  private void checkAlive(
      ActorContext context, Scheduler scheduler, FsStore opened, Faults planned) {
    try {
      if (planned.injected()) {
        recover(scheduler, opened);
      }
      check(opened);
      requireNothingForgotten(context, opened);
      requireCounted(scheduler, opened);
    } catch (StoreBrokenException e) {
      if (!planned.threwError()) {
        throw e;
      }
    }
  }

  /** Lets sweeps try again what faults have prevented. */
  private static void recover(Scheduler scheduler, JobStore store) {
    try {
      for (int i = 0; i < 4; i++) {
        store.sweep();
        scheduler.sleep(Duration.ofSeconds(2));
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** After a rescan, everything that can be claimed is claimed. */
  private static void requireNothingForgotten(ActorContext context, JobStore store) {
    store.sweep();
    store.isIdle(SimulatedStore.TYPES);
    for (List<Claim> some = claim(store); !some.isEmpty(); some = claim(store)) {
      some.forEach(claim -> context.history.job(claim.job()).claims.put(claim.key(), claim));
    }
    Instant now = context.clock.instant();
    for (var id : store.list(JobReader.Query.all())) {
      JobView job = store.find(id).orElseThrow();
      for (JobView.StageView stage : job.stages()) {
        if (job.state().isOpen() && stage.state().isOpen()) {
          for (TaskView task : store.tasks(id, stage.number(), 1, 1_000)) {
            boolean waits =
                task.state() == TaskState.PENDING
                    || task.state() == TaskState.RETRIED
                        && (task.notBefore() == null
                            || !context.clock.wasSet()
                                && task.notBefore().isBefore(now.minusSeconds(1)));
            assertThat(waits)
                .as(
                    "task %s/%s of %s can be claimed, but is not in the queue",
                    stage.number(), task.task(), id)
                .isFalse();
          }
        }
      }
    }
  }

  private static List<Claim> claim(JobStore store) {
    return store.claim(new ClaimRequest(SimulatedStore.TYPES, 1_000, "all", null));
  }

  private static void requireCounted(Scheduler scheduler, FsStore store) {
    store.sweep(); // reads jobs again to which a write failed
    store.isIdle(SimulatedStore.TYPES); // finds the jobs that the other process has submitted,
    for (JobId id : store.list(JobReader.Query.in(Set.of(JobState.PAUSED)))) {
      store.replaceMetadata(id, 0, 0, JsonObject.create(), SimulatedStore.ANNA); // also held ones
    }
    await(scheduler, () -> store.statusCounts().complete());
    sleep(scheduler, Duration.ofSeconds(1)); // jobs of the other process are counted later
    store.sweep(); // the disk works again, and the store finds that out
    assertThat(store.health().trouble()).isNull();
    StatusCountsCheck.requireSame(
        withoutAges(store.statusCounts()), withoutAges(StatusCountsCheck.scan(store)));
  }

  /** The age of a new job is taken a little later than its creation, between which a clock may jump. */
  private static StatusCounts withoutAges(StatusCounts all) {
    return new StatusCounts(
        all.complete(),
        all.jobs(),
        all.stages(),
        all.tasks(),
        all.queue(),
        Map.of(),
        all.atGate(),
        all.unreadable());
  }

  /** Without threads and faults all jobs come to their ends, and what was told stays true. */
  private void finish() {
    life = 0;
    SimDisk last = disk.afterKill();
    SimulatedStore rig =
        new SimulatedStore(last, ManualClock.START.plus(ahead).plusNanos(nanos), 99);
    new HistoryCheck(history, rig.store).run();
    RemainingJobsRunner.finish(rig);
    new HistoryCheck(history, rig.store).run();
    WorkspaceInvariants.hold(last, SimulatedStore.PLACES, rig.store);
    rig.store.close();
  }
}
