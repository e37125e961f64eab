package dev.millrace.server;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
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
 * Runs the tasks of a store: {@code Server.builder(store).worker(worker).build().start()}.
 *
 * <p>All methods may be called from any thread, several at once: one thread may wait in {@link
 * #stop} while another calls {@link #stopNow}. A server runs once. It closes its workers but not
 * its store. Its threads: {@code millrace-pool} claims tasks and keeps the JVM alive, {@code
 * millrace-pulse} sends heartbeats, {@code millrace-sweep} lets the store expire leases and delays;
 * each running task has one more.
 */
public final class Server implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration PULSE = Duration.ofMillis(100);
  private static final Duration SWEEP = Duration.ofMillis(500);

  private final String name;
  private final JobStore store;
  private final Map<String, Worker> workers;
  private final int slots; // of all workers together
  private final Duration stopTimeout;
  private final ServerLifecycle lifecycle = new ServerLifecycle();
  private final StoreRetry storeRetry;
  private final TaskProcessor processor;
  private final WorkerPool pool;
  private final AtomicReference<@Nullable StoreBrokenException> problem = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  Server(ServerBuilder builder) {
    this.name = builder.name;
    this.store = builder.store;
    List<WorkerGroup> groups = builder.groups();
    this.workers = new HashMap<>();
    groups.forEach(group -> workers.putAll(group.workers()));
    this.stopTimeout = builder.stopTimeout;
    this.storeRetry = new StoreRetry(builder.clock);
    this.processor = new TaskProcessor(store, workers, storeRetry, builder.listener);
    WorkerPool.Settings settings =
        new WorkerPool.Settings(
            builder.name, groups, builder.maxSlotless, builder.clock, this::onStoreBroken);
    this.slots = settings.slots();
    this.pool = new WorkerPool(store, settings, lifecycle, processor, storeRetry);
    workers.values().forEach(worker -> worker.onReady(pool::wake));
  }

  public static ServerBuilder builder(JobStore store) {
    return new ServerBuilder(store);
  }

  /**
   * Starts to claim tasks: STARTING to RUNNING. Returns at once.
   *
   * @throws IllegalTransitionException if it was started or stopped before
   */
  public Server start() {
    lifecycle.move(ServerEvent.START);
    MonitoredThreads.service("millrace-pool").daemon(false).start(this::runPool);
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
              pulse.trigger(); // the pulse thread asks the store; this is the store's own
            }
          });
      pool.run();
    } catch (Throwable e) {
      failure.set(e); // first: the log may fail, too
      LOG.log(Level.ERROR, "the worker pool failed; the server stops", e);
      lifecycle.tryMove(ServerEvent.STOP);
      pool.stopAll();
    } finally {
      detachFromStore();
      closeWorkers();
      lifecycle.move(ServerEvent.END);
    }
  }

  /** Removes the callback: the store may outlive this server and must not keep it in memory. */
  private void detachFromStore() {
    try {
      store.onLever(_ -> {});
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the store could not be detached from a stopped server", e);
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

  /** The name of a server that is given none. */
  public static String defaultName() {
    return "server-" + ProcessHandle.current().pid();
  }

  /** Its name in the logs of jobs. */
  public String name() {
    return name;
  }

  /**
   * Lets a task of this job start at once, without waiting for a free slot or for its turn in the
   * queue: for a user who waits for it. While its worker is not ready, or too many such tasks run,
   * it stays urgent, and is still in the queue. Returns at once.
   *
   * @param type of the task; nothing happens if this server has no worker for it
   */
  public void startSoon(JobId job, String type) {
    pool.startSoon(job, type);
  }

  /**
   * Runs until no task of its types runs, can be claimed, or will become claimable by itself; then
   * stops. Starts the server if it was not started.
   *
   * @return whether all tasks were processed, and whether a job failed
   * @throws StoreBrokenException if the store is broken; the server has stopped then
   * @throws InterruptedException if the wait was interrupted; the server keeps draining
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
   * @throws StoreBrokenException if the store is broken and the server stopped for that reason
   * @throws IllegalStateException if its claiming thread failed and the server stopped for that
   *     reason
   */
  public void await() throws InterruptedException {
    lifecycle.awaitStopped();
    StoreBrokenException broken = problem.get();
    if (broken != null) {
      throw broken;
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IllegalStateException("the worker pool failed, and the server stopped", failed);
    }
  }

  /**
   * Stops claiming, releases tasks that can be resumed later, and waits until all other running
   * tasks have finished and are stored.
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
   * Stops claiming, cancels all running tasks and releases them: no attempt is lost. A worker that
   * does not stop in time is abandoned.
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

  /** As {@link #stop}; as {@link #stopNow} if the calling thread is interrupted. */
  @Override
  public void close() {
    try {
      stop();
    } catch (InterruptedException e) {
      try {
        stopNow();
      } catch (InterruptedException again) {
        LOG.log(Level.WARNING, "interrupted twice while stopping: running tasks are abandoned");
      }
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Stops the server because the store can no longer be trusted; {@link #await} throws the reason.
   */
  private void onStoreBroken(StoreBrokenException broken) {
    if (problem.compareAndSet(null, broken) && lifecycle.tryMove(ServerEvent.BREAK)) {
      LOG.log(
          Level.ERROR,
          "the store is broken; the server stops, and running tasks will run again after a restart:"
              + " "
              + broken.getMessage());
      MonitoredThreads.work().name("millrace-break").start(this::stopAfterBreak);
    }
  }

  private void stopAfterBreak() {
    try {
      stopNow();
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "interrupted while stopping: running tasks are abandoned");
    }
  }

  /** The running tasks, longest first, and how far they are: from memory, whatever the store does. */
  public List<RunningTask> runningTasks() {
    return pool.running().stream()
        .map(TaskAttempt::running)
        .sorted(Comparator.comparing(RunningTask::since))
        .toList();
  }

  /**
   * Tokens that tasks have journaled since the start, without those of models: the counters of the
   * models have them.
   */
  public long journaledTokens() {
    return pool.journaledTokens();
  }

  /** The state, the running tasks and the counters at this moment. */
  public ServerStatus status() {
    List<Running> running =
        pool.running().stream()
            .map(attempt -> new Running(attempt.claim(), attempt.since()))
            .sorted(Comparator.comparing(Running::since))
            .toList();
    OutcomeCounters counters = processor.counters();
    StoreBrokenException broken = problem.get();
    return new ServerStatus(
        lifecycle.state(),
        slots,
        running,
        counters.done.sum(),
        counters.failed.sum(),
        counters.released.sum(),
        counters.dropped.sum(),
        counters.unstored.sum(),
        broken == null ? null : broken.getMessage());
  }
}
