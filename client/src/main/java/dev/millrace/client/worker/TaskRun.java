package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.HeartbeatResponse;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.worker.WorkerEvent.Location;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one task on its own thread: calls the handler, sends heartbeats, and passes the result to
 * {@link TaskReporter}. The thread is interrupted only while the handler runs.
 */
final class TaskRun implements Runnable {

  /** Why the handler should stop. */
  enum StopCause {
    /** The job has ended. */
    SERVER,
    /** Another worker has the claim. */
    LOST,
    /** The worker stops. */
    WORKER
  }

  private static final Duration MIN_HEARTBEAT_TIMEOUT = Duration.ofSeconds(2);

  private final WorkerRuntime runtime;
  private final ClaimedTask claim;
  private final long requestedAt;
  private final Consumer<TaskRun> ended;
  private final TaskLogSender log;
  private final AtomicBoolean heartbeatUnderWay = new AtomicBoolean();
  private final AtomicBoolean progress = new AtomicBoolean();
  private final List<Runnable> onCancel = new ArrayList<>();
  private volatile boolean paused;
  private volatile long leaseEnd;
  private volatile @Nullable String partial;
  private volatile @Nullable JsonObject receipt;
  private volatile boolean closed;
  private @Nullable Thread handlerThread;
  private boolean handlerEnded;
  private @Nullable StopCause stopCause;
  private @Nullable String reason;

  /**
   * @param requestedAt when the claim was requested; its lease began then at the earliest
   * @param ended called at the end, on the thread of the task
   */
  TaskRun(WorkerRuntime runtime, ClaimedTask claim, long requestedAt, Consumer<TaskRun> ended) {
    this.runtime = runtime;
    this.claim = claim;
    this.requestedAt = requestedAt;
    this.ended = ended;
    this.log = new TaskLogSender(runtime, claim);
    this.leaseEnd = requestedAt + claim.leaseOrDefault().toNanos();
  }

  @Override
  public void run() {
    Future<?> heartbeats = null;
    try {
      if (claim.token() != null) { // a Jobnik server has neither tokens nor heartbeats
        heartbeats =
            runtime.scheduleEvery(
                runtime.settings().timing().heartbeat(), requestedAt, this::sendHeartbeat);
      }
      runtime.meters().taskStarted(runtime.type());
      runtime.notifyListener(new WorkerEvent.TaskStarted(claim));
      long start = runtime.timeSource().nanos();
      TaskReporter.HandlerResult result = handle();
      new TaskReporter(runtime, this).report(result, runtime.since(start));
    } finally {
      closed = true;
      if (heartbeats != null) {
        heartbeats.cancel(false);
      }
      ended.accept(this);
    }
  }

  private TaskReporter.HandlerResult handle() {
    TaskContext context = new TaskContext(this, runtime.client().withTrace(claim.task().trace()));
    try {
      enter();
      return new TaskReporter.HandlerResult.Returned(runtime.handler().handle(context));
    } catch (Throwable e) { // whatever it is: report it, and keep the worker running
      return new TaskReporter.HandlerResult.Threw(e);
    } finally {
      leave();
    }
  }

  private synchronized void enter() throws InterruptedException {
    if (stopCause != null) {
      throw new InterruptedException(reason);
    }
    handlerThread = Thread.currentThread();
  }

  private synchronized void leave() {
    handlerThread = null;
    handlerEnded = true;
    Thread.interrupted(); // an interrupt is for the handler only
  }

  /** Asks the handler to stop; only the first call counts, and none after its end. */
  void cancel(StopCause by, String why) {
    List<Runnable> actions;
    synchronized (this) {
      if (stopCause != null || handlerEnded) {
        return;
      }
      stopCause = by;
      reason = why;
      if (handlerThread != null) {
        handlerThread.interrupt();
      }
      actions = List.copyOf(onCancel);
    }
    actions.forEach(this::runAction);
  }

  void onCancel(Runnable action) {
    synchronized (this) {
      if (stopCause == null) {
        onCancel.add(action);
        return;
      }
    }
    runAction(action);
  }

  private void runAction(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      runtime.reportError(Location.TASK_PROCESSING, claim, e);
    }
  }

  private void sendHeartbeat() {
    if (closed || !heartbeatUnderWay.compareAndSet(false, true)) {
      return;
    }
    boolean progressed = progress.getAndSet(false);
    long sent = runtime.timeSource().nanos();
    try {
      HeartbeatResponse response =
          runtime.client().tasks().heartbeat(claim.id(), claim.token(), progressed, timeout());
      Duration lease = response.lease() == null ? claim.leaseOrDefault() : response.lease();
      leaseEnd = sent + lease.toNanos();
      paused = response.pause();
      if (response.cancel()) {
        cancel(
            StopCause.SERVER, response.reason() == null ? "the job has ended" : response.reason());
      }
    } catch (ApiException e) {
      refused(e, progressed);
    } catch (NetworkException e) {
      missed(e, progressed);
    } finally {
      heartbeatUnderWay.set(false);
    }
  }

  /** A heartbeat is not retried: the next one follows. */
  private Duration timeout() {
    Duration heartbeat = runtime.settings().timing().heartbeat();
    return heartbeat.compareTo(MIN_HEARTBEAT_TIMEOUT) < 0 ? MIN_HEARTBEAT_TIMEOUT : heartbeat;
  }

  private void refused(ApiException e, boolean progressed) {
    if (e.isConflict() || e.isNotFound()) {
      cancel(StopCause.LOST, e.text());
    } else {
      missed(e, progressed);
    }
  }

  private void missed(ClientException e, boolean progressed) {
    if (progressed) {
      progress.set(true);
    }
    if (!closed) {
      runtime.reportError(Location.HEARTBEAT, claim, e);
    }
  }

  ClaimedTask claim() {
    return claim;
  }

  TaskLogSender log() {
    return log;
  }

  synchronized boolean cancelled() {
    return stopCause != null;
  }

  synchronized @Nullable StopCause stopCause() {
    return stopCause;
  }

  synchronized @Nullable String cancelReason() {
    return reason;
  }

  boolean paused() {
    return paused;
  }

  Duration leaseLeft() {
    return Duration.ofNanos(leaseEnd - runtime.timeSource().nanos());
  }

  void progress() {
    progress.set(true);
  }

  void partial(@Nullable String output) {
    partial = output;
  }

  @Nullable String partial() {
    return partial;
  }

  void receipt(@Nullable JsonObject given) {
    receipt = given;
  }

  @Nullable JsonObject receipt() {
    return receipt;
  }
}
