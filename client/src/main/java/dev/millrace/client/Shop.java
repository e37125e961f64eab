package dev.millrace.client;

import dev.millrace.client.WorkerEvent.Location;
import dev.millrace.client.wire.ClaimedTask;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a worker's threads share.
 *
 * @param breaker of the handler
 * @param clockwork one thread that says when; what is due then runs on a thread of its own
 * @param over given when what is under way must be dropped
 */
record Shop(
    MillraceClient client,
    WorkerSettings settings,
    TaskHandler handler,
    Breaker breaker,
    ScheduledExecutorService clockwork,
    CountDownLatch over) {
  private static final System.Logger LOG = System.getLogger("dev.millrace.client");

  Timing timing() {
    return client.channel().timing();
  }

  ClientMeters meters() {
    return client.channel().meters();
  }

  Duration since(long start) {
    return client.channel().since(start);
  }

  String type() {
    return settings.type();
  }

  /** A listener that throws must not take the worker with it. */
  void tell(WorkerEvent event) {
    try {
      settings.listener().accept(event);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "a listener of worker " + settings.name() + " threw " + e);
      LOG.log(Level.DEBUG, "from where", e);
    }
  }

  void error(Location location, @Nullable ClaimedTask task, Throwable cause) {
    LOG.log(
        Level.DEBUG,
        () ->
            "worker "
                + settings.name()
                + ", "
                + location.word()
                + (task == null ? "" : " of " + task.id())
                + ": "
                + cause);
    tell(new WorkerEvent.Error(location, task, cause));
  }

  void after(Duration time, Runnable what) {
    clockwork.schedule(() -> Thread.startVirtualThread(what), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** At first when {@code time} has passed since {@code start}. */
  ScheduledFuture<?> every(Duration time, long start, Runnable what) {
    return clockwork.scheduleAtFixedRate(
        () -> Thread.startVirtualThread(what),
        time.minus(since(start)).toNanos(),
        time.toNanos(),
        TimeUnit.NANOSECONDS);
  }
}
