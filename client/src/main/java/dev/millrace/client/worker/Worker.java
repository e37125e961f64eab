package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.ClientMeters.RunningWorker;
import dev.millrace.client.internal.transport.TransportAccess;
import dev.millrace.client.worker.WorkerEvent.Location;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Processes tasks of one stage type: claims as many as it has free slots, runs the handler for each
 * on its own thread, renews their leases by heartbeats, and reports the results. A worker is
 * started once and stopped once. Thread-safe.
 */
public final class Worker implements AutoCloseable {

  /** After the grace: the time for handlers to react to the interrupt, and for releases. */
  private static final Duration FORCED_STOP = Duration.ofSeconds(5);

  private enum Phase {
    NEW,
    RUNNING,
    STOPPING,
    STOPPED
  }

  private final WorkerSettings settings;
  private final WorkerRuntime runtime;
  private final Semaphore slots;
  private final Set<TaskRun> runs = ConcurrentHashMap.newKeySet();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);
  private final Thread poller;
  private final RunningWorker running;
  private volatile long startedAt;

  Worker(MillraceClient client, TaskHandler handler, WorkerSettings settings) {
    this.settings = settings;
    this.running = new RunningWorker(settings.type(), settings.name(), this::uptime);
    this.slots = new Semaphore(settings.concurrency());
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("millrace-worker-clock").factory());
    scheduler.setRemoveOnCancelPolicy(true);
    ApiTransport transport = TransportAccess.of(client);
    Breaker handlerBreaker = breaker(transport, Breaker.HANDLER, settings.breakers().handler());
    Breaker dequeueBreaker = breaker(transport, Breaker.DEQUEUE, settings.breakers().dequeue());
    this.runtime =
        new WorkerRuntime(
            client, transport, settings, handler, handlerBreaker, scheduler, new CountDownLatch(1));
    this.poller =
        Thread.ofVirtual()
            .name("millrace-poll-" + settings.type())
            .unstarted(new TaskPoller(runtime, slots, dequeueBreaker, stopping, this::startTask));
  }

  /** A worker with default settings, not yet started. */
  public static Worker of(MillraceClient client, String type, TaskHandler handler) {
    return builder(client, type, handler).build();
  }

  public static WorkerBuilder builder(MillraceClient client, String type, TaskHandler handler) {
    return new WorkerBuilder(client, type, handler);
  }

  private Breaker breaker(ApiTransport transport, String name, BreakerSettings given) {
    return new Breaker(
        name, given, transport.timeSource(), state -> changed(transport.meters(), name, state));
  }

  private void changed(ClientMeters meters, String breaker, State state) {
    switch (state) {
      case OPEN -> {
        meters.breaker(settings.type(), breaker, 2);
        runtime.notifyListener(new WorkerEvent.CircuitBreakerOpened(breaker));
      }
      case HALF_OPEN -> meters.breaker(settings.type(), breaker, 1);
      case CLOSED -> {
        meters.breaker(settings.type(), breaker, 0);
        runtime.notifyListener(new WorkerEvent.CircuitBreakerClosed(breaker));
      }
      case DISABLED, METRICS_ONLY, FORCED_OPEN -> {} // never set here
    }
  }

  /** Starts to claim tasks. */
  public Worker start() {
    if (!phase.compareAndSet(Phase.NEW, Phase.RUNNING)) {
      throw new IllegalStateException("worker " + name() + " was already started");
    }
    startedAt = runtime.timeSource().nanos();
    runtime.meters().workerStarted(running);
    runtime.notifyListener(new WorkerEvent.Started());
    poller.start();
    return this;
  }

  /** Called on the thread of the poller. */
  private boolean startTask(ClaimedTask claim, long requestedAt) {
    if (stopping.getCount() == 0) {
      releaseUnstarted(claim, "the worker stops");
      return false;
    }
    TaskRun run = new TaskRun(runtime, claim, requestedAt, this::ended);
    runs.add(run);
    try {
      settings.threads().newThread(run).start();
      return true;
    } catch (RuntimeException | Error e) {
      runs.remove(run);
      runtime.reportError(Location.TASK_PROCESSING, claim, e);
      releaseUnstarted(claim, "the worker could not start a thread");
      return false;
    }
  }

  /** Releases a task that has not run, in the background. */
  private void releaseUnstarted(ClaimedTask claim, String reason) {
    runtime.breaker().releasePermit();
    try {
      Thread.startVirtualThread(
          () -> {
            try {
              TaskReporter.releaseTask(runtime, claim, reason);
            } finally {
              slots.release();
            }
          });
    } catch (RuntimeException | Error e) { // its lease expires; the slot must not be lost
      slots.release();
      runtime.reportError(Location.TASK_PROCESSING, claim, e);
    }
  }

  private void ended(TaskRun run) {
    runs.remove(run);
    slots.release();
  }

  public String name() {
    return settings.name();
  }

  public String type() {
    return settings.type();
  }

  /** The time since {@link #start}. */
  public Duration uptime() {
    return runtime.since(startedAt);
  }

  /** The number of tasks that run now. */
  public int active() {
    return runs.size();
  }

  /** Stops with the grace of {@link WorkerBuilder#grace}. */
  @Override
  public void close() {
    stop(settings.timing().grace());
  }

  /**
   * Stops the worker: claims no more tasks, waits up to {@code grace} for running ones, then
   * cancels and releases the rest, which takes at most 10 seconds more. An interrupt ends the wait,
   * but the worker still stops.
   */
  public void stop(Duration grace) {
    boolean interrupted = false;
    if (phase.compareAndSet(Phase.NEW, Phase.STOPPED)) {
      stopped.countDown();
      runtime.scheduler().shutdownNow();
    } else if (phase.compareAndSet(Phase.RUNNING, Phase.STOPPING)) {
      interrupted = shutDown(grace);
    } else {
      try {
        stopped.await(); // another thread stops it
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean shutDown(Duration grace) {
    long end = System.nanoTime() + grace.toNanos();
    runtime.notifyListener(new WorkerEvent.Stopping());
    stopping.countDown();
    slots.release(); // wakes a poller that waits for a slot
    boolean interrupted = false;
    try {
      if (!poller.join(left(end)) || !awaitIdle(left(end))) {
        cancelAll();
        long last = System.nanoTime() + FORCED_STOP.toNanos();
        poller.join(left(last));
        awaitIdle(left(last));
      }
    } catch (InterruptedException e) {
      interrupted = true;
      cancelAll();
    }
    runtime.dropSignal().countDown();
    interrupted |= releaseRest();
    runtime.scheduler().shutdownNow();
    runtime.meters().workerStopped(running);
    runtime.notifyListener(new WorkerEvent.Stopped());
    phase.set(Phase.STOPPED);
    stopped.countDown();
    return interrupted;
  }

  private void cancelAll() {
    poller.interrupt();
    runs.forEach(run -> run.cancel(TaskRun.StopCause.WORKER, "the worker stops"));
  }

  /**
   * Releases, in parallel, the tasks of handlers that do not react to the interrupt. The fencing
   * token makes sure that their results are refused.
   *
   * @return whether an interrupt ended the wait
   */
  private boolean releaseRest() {
    List<Thread> releases =
        runs.stream()
            .map(TaskRun::claim)
            .map(
                claim ->
                    Thread.startVirtualThread(
                        () -> TaskReporter.releaseTask(runtime, claim, "the worker stops")))
            .toList();
    long last = System.nanoTime() + FORCED_STOP.toNanos();
    try {
      for (Thread release : releases) {
        release.join(left(last));
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Waits until all slots are free, including the one that {@link #shutDown} has added. */
  private boolean awaitIdle(Duration atMost) throws InterruptedException {
    int all = settings.concurrency() + 1;
    boolean free = slots.tryAcquire(all, atMost.toNanos(), TimeUnit.NANOSECONDS);
    if (free) {
      slots.release(all);
    }
    return free;
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - System.nanoTime()));
  }
}
