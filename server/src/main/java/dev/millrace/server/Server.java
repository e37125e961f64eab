package dev.millrace.server;

import dev.millrace.core.job.JobState;
import dev.millrace.core.state.IllegalTransitionException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.server.ServerStatus.Running;
import dev.millrace.server.internal.PeriodicThread;
import dev.millrace.server.internal.StoreRetry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Works off the tasks of a store: {@code Server.builder(store).worker(worker).build().start()}.
 *
 * <p>All methods may be called from any thread, several at once: one thread may wait in {@link
 * #stop} while another loses patience and calls {@link #stopNow}. A server runs once. It closes its
 * workers but not its store. Threads of its own: {@code millrace-pool} claims and keeps the JVM
 * alive, {@code millrace-pulse} asks after claims, {@code millrace-sweep} lets time pass in the
 * store; each task has one more.
 */
public final class Server implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration PULSE = Duration.ofMillis(100);
  private static final Duration SWEEP = Duration.ofMillis(500);

  private final JobStore store;
  private final Map<String, Worker> workers;
  private final int slots; // of all workers together
  private final Duration stopTimeout;
  private final ServerLifecycle lifecycle = new ServerLifecycle();
  private final StoreRetry storeRetry;
  private final TaskProcessor processor;
  private final WorkerPool pool;
  private final AtomicReference<@Nullable StoreBrokenException> problem = new AtomicReference<>();

  Server(ServerBuilder builder) {
    this.store = builder.store;
    List<WorkerGroup> groups = builder.groups();
    this.workers = new HashMap<>();
    groups.forEach(group -> workers.putAll(group.workers()));
    this.stopTimeout = builder.stopTimeout;
    this.storeRetry = new StoreRetry(builder.clock);
    this.processor = new TaskProcessor(store, workers, storeRetry, builder.listener);
    WorkerPool.Settings settings =
        new WorkerPool.Settings(builder.name, groups, builder.clock, this::onStoreBroken);
    this.slots = settings.slots();
    this.pool = new WorkerPool(store, settings, lifecycle, processor, storeRetry);
    workers.values().forEach(worker -> worker.onReady(pool::wake));
  }

  public static ServerBuilder builder(JobStore store) {
    return new ServerBuilder(store);
  }

  /**
   * STARTING to RUNNING. Returns at once.
   *
   * @throws IllegalTransitionException if it was started or stopped before
   */
  public Server start() {
    lifecycle.move(ServerEvent.START);
    Thread.ofPlatform().name("millrace-pool").start(this::runPool);
    return this;
  }

  private void runPool() {
    try (PeriodicThread pulse =
            PeriodicThread.start("millrace-pulse", PULSE, pool::heartbeat, this::onStoreBroken);
        PeriodicThread _ =
            PeriodicThread.start("millrace-sweep", SWEEP, store::sweep, this::onStoreBroken)) {
      store.onLever(
          job -> {
            if (pool.isRunning(job)) {
              pulse.trigger(); // this is the store's thread: the pulse asks
            }
          });
      pool.run();
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "the pool failed and the server stops", e);
      lifecycle.tryMove(ServerEvent.STOP);
      pool.stopAll();
    } finally {
      detachFromStore();
      closeWorkers();
      lifecycle.move(ServerEvent.END);
    }
  }

  /** The store may live on, and must not keep this server alive with it. */
  private void detachFromStore() {
    try {
      store.onLever(_ -> {});
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the store still watches for a server that has stopped", e);
    }
  }

  private void closeWorkers() {
    for (Worker worker : workers.values()) {
      try {
        worker.close();
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "worker \"" + worker.type() + "\" did not close", e);
      }
    }
  }

  /**
   * Works until nothing of its types runs, can be claimed, or will be claimable by itself; then
   * stops. Starts the server if that has not been done.
   *
   * @return whether all was worked off, and whether a job failed meanwhile
   * @throws StoreBrokenException if the store is; the server has stopped then
   * @throws InterruptedException if the waiting was interrupted; the server goes on draining
   */
  public DrainResult drain() throws InterruptedException {
    int failedBefore = failedJobs();
    if (lifecycle.state() == ServerState.STARTING) {
      start();
    }
    if (lifecycle.tryMove(ServerEvent.DRAIN)) {
      pool.wake();
    }
    await();
    if (lifecycle.stoppedBy() != ServerEvent.IDLE) {
      return DrainResult.INTERRUPTED;
    }
    boolean failed = processor.counters().failedJobs.sum() > 0 || failedJobs() > failedBefore;
    return failed ? DrainResult.WITH_FAILURES : DrainResult.CLEAN;
  }

  private int failedJobs() {
    return store.counts().getOrDefault(JobState.FAILED, 0);
  }

  /**
   * Waits until the server has stopped.
   *
   * @throws StoreBrokenException if that is why
   */
  public void await() throws InterruptedException {
    lifecycle.awaitStopped();
    StoreBrokenException broken = problem.get();
    if (broken != null) {
      throw broken;
    }
  }

  /**
   * Claims nothing more, releases what can go on later, and waits until all else that runs has
   * finished and is stored.
   */
  public void stop() throws InterruptedException {
    beginStop();
    lifecycle.awaitStopped();
  }

  /** As {@link #stop}, for at most {@code grace}; then as {@link #stopNow}. */
  public void shutdown(Duration grace) throws InterruptedException {
    beginStop();
    if (!lifecycle.awaitStopped(grace)) {
      stopNow();
    }
  }

  /**
   * Claims nothing more, tells what runs to stop, and releases it: no attempt is lost. A worker
   * that does not obey is not waited for.
   */
  public void stopNow() throws InterruptedException {
    beginStop();
    storeRetry.stopRetrying();
    pool.stopAll();
    if (!lifecycle.awaitStopped(stopTimeout)) {
      pool.abandonAll();
      lifecycle.awaitStopped();
    }
  }

  private void beginStop() {
    boolean neverRan = lifecycle.state() == ServerState.STARTING;
    if (lifecycle.tryMove(ServerEvent.STOP)) {
      pool.wake();
      pool.stopResumable();
      if (neverRan && lifecycle.state() == ServerState.STOPPED) {
        closeWorkers();
      }
    }
  }

  /** As {@link #stop}; as {@link #stopNow} if interrupted meanwhile. */
  @Override
  public void close() {
    try {
      stop();
    } catch (InterruptedException e) {
      try {
        stopNow();
      } catch (InterruptedException again) {
        LOG.log(Level.WARNING, "interrupted twice while stopping: what still runs is left behind");
      }
      Thread.currentThread().interrupt();
    }
  }

  /** The store can no longer be trusted: the server ends itself, and {@link #await} says why. */
  private void onStoreBroken(StoreBrokenException broken) {
    if (problem.compareAndSet(null, broken) && lifecycle.tryMove(ServerEvent.BREAK)) {
      LOG.log(
          Level.ERROR,
          "the store is broken and the server stops; what ran will run again after a restart: "
              + broken.getMessage());
      Thread.ofPlatform().name("millrace-break").daemon().start(this::stopAfterBreak);
    }
  }

  private void stopAfterBreak() {
    try {
      stopNow();
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "interrupted while stopping: what still runs is left behind");
    }
  }

  /** How it stands at this moment. */
  public ServerStatus status() {
    List<Running> running =
        pool.running().stream()
            .map(attempt -> new Running(attempt.claim(), attempt.since()))
            .sorted(Comparator.comparing(Running::since))
            .toList();
    OutcomeCounters tally = processor.counters();
    StoreBrokenException broken = problem.get();
    return new ServerStatus(
        lifecycle.state(),
        slots,
        running,
        tally.done.sum(),
        tally.failed.sum(),
        tally.released.sum(),
        tally.dropped.sum(),
        broken == null ? null : broken.getMessage());
  }
}
