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
 * One task in the hands of one thread: runs the handler, beats its heart, and hands what came of it
 * to {@link TaskReporter}. The handler's thread is interrupted only while the handler runs.
 */
final class TaskRun implements Runnable {

  /** Who wants the handler to stop. */
  enum StopCause {
    /** The job ended. */
    SERVER,
    /** The claim is another's. */
    LOST,
    /** The worker stops. */
    WORKER
  }

  private static final Duration SHORTEST = Duration.ofSeconds(2);

  private final WorkerRuntime runtime;
  private final ClaimedTask claim;
  private final long asked;
  private final Consumer<TaskRun> ended;
  private final TaskLogSender log;
  private final AtomicBoolean beating = new AtomicBoolean();
  private final AtomicBoolean progress = new AtomicBoolean();
  private final List<Runnable> onCancel = new ArrayList<>();
  private volatile boolean paused;
  private volatile long leaseEnd;
  private volatile @Nullable String partial;
  private volatile @Nullable JsonObject receipt;
  private volatile boolean closed;
  private @Nullable Thread handling;
  private boolean left;
  private @Nullable StopCause stopCause;
  private @Nullable String reason;

  /**
   * @param asked when the claim was asked for: its lease began then at the earliest
   */
  TaskRun(WorkerRuntime shop, ClaimedTask claim, long asked, Consumer<TaskRun> ended) {
    this.runtime = shop;
    this.claim = claim;
    this.asked = asked;
    this.ended = ended;
    this.log = new TaskLogSender(shop, claim);
    this.leaseEnd = asked + claim.leaseOrDefault().toNanos();
  }

  @Override
  public void run() {
    Future<?> heart = null;
    try {
      if (claim.token() != null) { // a stock server gives none and knows no heartbeat
        heart = runtime.scheduleEvery(runtime.settings().timing().heartbeat(), asked, this::sendHeartbeat);
      }
      runtime.meters().taskStarted(runtime.type());
      runtime.notifyListener(new WorkerEvent.TaskStarted(claim));
      long start = runtime.timeSource().nanos();
      TaskReporter.HandlerResult ending = handle();
      new TaskReporter(runtime, this).report(ending, runtime.since(start));
    } finally {
      closed = true;
      if (heart != null) {
        heart.cancel(false);
      }
      ended.accept(this);
    }
  }

  private TaskReporter.HandlerResult handle() {
    TaskContext context = new TaskContext(this, runtime.client().withTrace(claim.task().trace()));
    try {
      enter();
      return new TaskReporter.HandlerResult.Returned(runtime.handler().handle(context));
    } catch (Throwable e) { // whatever it is, the server is told, and the worker goes on
      return new TaskReporter.HandlerResult.Threw(e);
    } finally {
      leave();
    }
  }

  private synchronized void enter() throws InterruptedException {
    if (stopCause != null) {
      throw new InterruptedException(reason);
    }
    handling = Thread.currentThread();
  }

  private synchronized void leave() {
    handling = null;
    left = true;
    Thread.interrupted(); // an interrupt was for the handler, not for what follows
  }

  /** Says that the handler should stop; only the first to say so is heard, none after its end. */
  void cancel(StopCause by, String why) {
    List<Runnable> actions;
    synchronized (this) {
      if (stopCause != null || left) {
        return;
      }
      stopCause = by;
      reason = why;
      if (handling != null) {
        handling.interrupt();
      }
      actions = List.copyOf(onCancel);
    }
    actions.forEach(this::act);
  }

  void onCancel(Runnable action) {
    synchronized (this) {
      if (stopCause == null) {
        onCancel.add(action);
        return;
      }
    }
    act(action);
  }

  private void act(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      runtime.reportError(Location.TASK_PROCESSING, claim, e);
    }
  }

  private void sendHeartbeat() {
    if (closed || !beating.compareAndSet(false, true)) {
      return;
    }
    boolean further = progress.getAndSet(false);
    long sent = runtime.timeSource().nanos();
    try {
      HeartbeatResponse told =
          runtime.client().tasks().heartbeat(claim.id(), claim.token(), further, limit());
      Duration lease = told.lease() == null ? claim.leaseOrDefault() : told.lease();
      leaseEnd = sent + lease.toNanos();
      paused = told.pause();
      if (told.cancel()) {
        cancel(StopCause.SERVER, told.reason() == null ? "the job has ended" : told.reason());
      }
    } catch (ApiException e) {
      refused(e, further);
    } catch (NetworkException e) {
      missed(e, further);
    } finally {
      beating.set(false);
    }
  }

  /** The next beat is the better second try. */
  private Duration limit() {
    Duration heartbeat = runtime.settings().timing().heartbeat();
    return heartbeat.compareTo(SHORTEST) < 0 ? SHORTEST : heartbeat;
  }

  private void refused(ApiException e, boolean further) {
    if (e.isConflict() || e.isNotFound()) {
      cancel(StopCause.LOST, e.text());
    } else {
      missed(e, further);
    }
  }

  private void missed(ClientException e, boolean further) {
    if (further) {
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
