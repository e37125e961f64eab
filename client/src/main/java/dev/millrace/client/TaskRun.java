package dev.millrace.client;

import dev.millrace.client.WorkerEvent.Location;
import dev.millrace.client.wire.ClaimedTask;
import dev.millrace.client.wire.Heartbeat;
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
 * to {@link TaskReport}. The handler's thread is interrupted only while the handler runs.
 */
final class TaskRun implements Runnable {

  /** Who wants the handler to stop. */
  enum Stop {
    /** The job ended. */
    SERVER,
    /** The claim is another's. */
    LOST,
    /** The worker stops. */
    WORKER
  }

  private static final Duration SHORTEST = Duration.ofSeconds(2);

  private final Shop shop;
  private final ClaimedTask claim;
  private final long asked;
  private final Consumer<TaskRun> ended;
  private final TaskLog log;
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
  private @Nullable Stop stop;
  private @Nullable String reason;

  /**
   * @param asked when the claim was asked for: its lease began then at the earliest
   */
  TaskRun(Shop shop, ClaimedTask claim, long asked, Consumer<TaskRun> ended) {
    this.shop = shop;
    this.claim = claim;
    this.asked = asked;
    this.ended = ended;
    this.log = new TaskLog(shop, claim);
    this.leaseEnd = asked + claim.lease().toNanos();
  }

  @Override
  public void run() {
    Future<?> heart = null;
    try {
      if (claim.token() != null) { // a stock server gives none and knows no heartbeat
        heart = shop.every(shop.settings().heartbeat(), asked, this::beat);
      }
      shop.meters().taskStarted(shop.type());
      shop.tell(new WorkerEvent.TaskStarted(claim));
      long start = shop.timing().nanos();
      TaskReport.Ending ending = handle();
      new TaskReport(shop, this).end(ending, shop.since(start));
    } finally {
      closed = true;
      if (heart != null) {
        heart.cancel(false);
      }
      ended.accept(this);
    }
  }

  private TaskReport.Ending handle() {
    TaskContext context = new TaskContext(this, shop.client().within(claim.task().trace()));
    try {
      enter();
      return new TaskReport.Ending.Returned(shop.handler().handle(context));
    } catch (Throwable e) { // whatever it is, the server is told, and the worker goes on
      return new TaskReport.Ending.Threw(e);
    } finally {
      leave();
    }
  }

  private synchronized void enter() throws InterruptedException {
    if (stop != null) {
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
  void cancel(Stop by, String why) {
    List<Runnable> actions;
    synchronized (this) {
      if (stop != null || left) {
        return;
      }
      stop = by;
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
      if (stop == null) {
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
      shop.error(Location.TASK_PROCESSING, claim, e);
    }
  }

  private void beat() {
    if (closed || !beating.compareAndSet(false, true)) {
      return;
    }
    boolean further = progress.getAndSet(false);
    long sent = shop.timing().nanos();
    try {
      Heartbeat told = shop.client().tasks().heartbeat(claim.id(), claim.token(), further, limit());
      Duration lease = told.lease() == null ? claim.lease() : told.lease();
      leaseEnd = sent + lease.toNanos();
      paused = told.pause();
      if (told.cancel()) {
        cancel(Stop.SERVER, told.reason() == null ? "the job has ended" : told.reason());
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
    Duration heartbeat = shop.settings().heartbeat();
    return heartbeat.compareTo(SHORTEST) < 0 ? SHORTEST : heartbeat;
  }

  private void refused(ApiException e, boolean further) {
    if (e.isConflict() || e.isNotFound()) {
      cancel(Stop.LOST, e.text());
    } else {
      missed(e, further);
    }
  }

  private void missed(ClientException e, boolean further) {
    if (further) {
      progress.set(true);
    }
    if (!closed) {
      shop.error(Location.HEARTBEAT, claim, e);
    }
  }

  ClaimedTask claim() {
    return claim;
  }

  TaskLog log() {
    return log;
  }

  synchronized boolean cancelled() {
    return stop != null;
  }

  synchronized @Nullable Stop stop() {
    return stop;
  }

  synchronized @Nullable String cancelReason() {
    return reason;
  }

  boolean paused() {
    return paused;
  }

  Duration leaseLeft() {
    return Duration.ofNanos(leaseEnd - shop.timing().nanos());
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
