package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientMeters;
import dev.millrace.client.internal.transport.TimeSource;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of a worker share.
 *
 * @param breaker the circuit breaker of the handler
 * @param scheduler one thread that starts scheduled actions; each runs on a thread of its own
 * @param dropSignal counted down when reports that are still retried must be given up
 */
record WorkerRuntime(
    MillraceClient client,
    ApiTransport transport,
    WorkerSettings settings,
    TaskHandler handler,
    Breaker breaker,
    ScheduledExecutorService scheduler,
    CountDownLatch dropSignal) {
  private static final System.Logger LOG = System.getLogger("dev.millrace.client");

  TimeSource timeSource() {
    return transport.timeSource();
  }

  ClientMeters meters() {
    return transport.meters();
  }

  Duration since(long start) {
    return transport.since(start);
  }

  String type() {
    return settings.type();
  }

  /** Calls the listener; the worker survives what it throws. */
  void notifyListener(WorkerEvent event) {
    try {
      settings.listener().accept(event);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "the listener of worker \"" + settings.name() + "\" threw " + e);
      LOG.log(Level.DEBUG, "stack trace of the listener", e);
    }
  }

  void reportError(Location location, @Nullable ClaimedTask task, Throwable cause) {
    LOG.log(
        Level.DEBUG,
        () ->
            "worker \""
                + settings.name()
                + "\": "
                + location.word()
                + (task == null ? "" : " of task " + task.id())
                + " failed: "
                + cause);
    notifyListener(new WorkerEvent.Error(location, task, cause));
  }

  void schedule(Duration delay, Runnable action) {
    scheduler.schedule(() -> start(action), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** What is thrown ends neither the periodic action nor the thread of the scheduler. */
  private void start(Runnable action) {
    try {
      Thread.startVirtualThread(() -> run(action));
    } catch (RuntimeException | Error e) { // an OutOfMemoryError if there are no more threads
      LOG.log(
          Level.WARNING,
          "worker \"" + settings.name() + "\": a scheduled action could not be started: " + e);
    }
  }

  private void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "worker \"" + settings.name() + "\": a scheduled action failed", e);
    }
  }

  /** Runs {@code action} periodically, first when {@code period} has passed since {@code start}. */
  ScheduledFuture<?> scheduleEvery(Duration period, long start, Runnable action) {
    return scheduler.scheduleAtFixedRate(
        () -> start(action),
        period.minus(since(start)).toNanos(),
        period.toNanos(),
        TimeUnit.NANOSECONDS);
  }
}
