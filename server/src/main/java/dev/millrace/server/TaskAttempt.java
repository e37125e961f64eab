package dev.millrace.server;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskQueue;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TraceContext;
import dev.millrace.server.internal.InterruptZone;
import dev.millrace.server.internal.StoreRetry;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, from its claim to the store's answer. The task's own thread takes its
 * steps, except that a server that stops at once may take {@link Step#COMMIT} away from a worker
 * that does not stop. {@link #heartbeat} is called by the pulse thread; any thread may call the
 * rest.
 */
final class TaskAttempt implements TaskContext {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** How far it got. Each step is taken once. */
  enum Step {
    START,
    RUN,
    COMMIT,
    END
  }

  /** Why the attempt must stop; a later reason overrides an earlier one. */
  enum StopReason {
    TIMED_OUT,
    CANCELLED,
    LOST,
    SHUTDOWN
  }

  private final Claim claim;
  private final long order;
  private final Instant since;
  private final @Nullable Instant deadline;
  private final TaskQueue store;
  private final StoreRetry storeRetry;
  private final InterruptZone zone = new InterruptZone();
  private final AtomicReference<Step> step = new AtomicReference<>(Step.START);
  private final AtomicBoolean progress = new AtomicBoolean();
  private final List<Runnable> hooks = new ArrayList<>(); // guarded by itself
  private final List<Runnable> pauseHooks = new ArrayList<>(); // guarded by itself
  private volatile @Nullable StopReason stop; // written under the lock of hooks
  private final AtomicBoolean linesLost = new AtomicBoolean();
  private volatile boolean paused; // written under the lock of pauseHooks
  private volatile Supplier<@Nullable TraceContext> trace = () -> null;
  private volatile BooleanSupplier outsideWait = () -> false;
  private volatile boolean journalEnds; // a chunk is missing: no other may follow

  TaskAttempt(Claim claim, long order, TaskQueue store, StoreRetry retry, InstantSource clock) {
    this.claim = claim;
    this.order = order;
    this.store = store;
    this.storeRetry = retry;
    this.since = clock.instant();
    this.deadline = claim.runTimeout() == null ? null : since.plus(claim.runTimeout());
  }

  /** Moves to {@code next} if it was not reached yet; false if another thread took that step. */
  boolean advance(Step next) {
    return step.getAndUpdate(now -> now.compareTo(next) < 0 ? next : now).compareTo(next) < 0;
  }

  /** Calls the worker: the only code in which the thread may be interrupted. */
  TaskOutcome runWorker(Worker worker) throws Exception {
    zone.enter();
    try {
      return worker.work(this);
    } finally {
      zone.leave();
    }
  }

  /** Renews the claim, and obeys the signal that the store returns. */
  void heartbeat(Instant now) {
    boolean runs = step.get().compareTo(Step.COMMIT) < 0;
    if (runs && deadline != null && !now.isBefore(deadline)) {
      stop(StopReason.TIMED_OUT);
    }
    ClaimSignal signal = store.heartbeat(claim, progress.getAndSet(false));
    if (runs) { // else the heartbeat only renews the lease
      obey(signal);
    }
  }

  private void obey(ClaimSignal signal) {
    pause(signal == ClaimSignal.PAUSE);
    switch (signal) {
      case CONTINUE, PAUSE -> {}
      case CANCEL -> stop(StopReason.CANCELLED);
      case LOST -> stop(StopReason.LOST);
    }
  }

  private void pause(boolean now) {
    List<Runnable> toRun;
    synchronized (pauseHooks) {
      paused = now;
      toRun = now ? List.copyOf(pauseHooks) : List.of();
      pauseHooks.removeAll(toRun);
    }
    toRun.forEach(this::call);
  }

  /** Tells the worker to stop by flag, hooks and interrupt. */
  void stop(StopReason reason) {
    List<Runnable> toRun;
    synchronized (hooks) {
      if (stop != null && stop.compareTo(reason) >= 0) {
        return;
      }
      stop = reason;
      toRun = List.copyOf(hooks);
      hooks.clear();
    }
    toRun.forEach(this::call);
    zone.interrupt();
    storeRetry.wake();
  }

  private void call(Runnable hook) {
    try {
      hook.run();
    } catch (Throwable e) { // an Error too: this thread is the server's
      LOG.log(Level.WARNING, "task " + claim + ": a hook of the worker failed", e);
    }
  }

  @Nullable StopReason stopReason() {
    return stop;
  }

  Instant since() {
    return since;
  }

  @Override
  public Claim claim() {
    return claim;
  }

  /** Sets the source of {@link #trace}, before the worker gets the task. */
  void setTraceSource(Supplier<@Nullable TraceContext> source) {
    trace = source;
  }

  @Override
  public @Nullable TraceContext trace() {
    return trace.get();
  }

  @Override
  public long claimOrder() {
    return order;
  }

  @Override
  public Optional<Instant> deadline() {
    return Optional.ofNullable(deadline);
  }

  @Override
  public void log(String line) {
    if (step.get() == Step.RUN) {
      zone.shield(() -> writeLog(line));
    }
  }

  private void writeLog(String line) {
    try {
      store.log(claim, "info", line);
    } catch (RuntimeException e) {
      if (linesLost.compareAndSet(false, true)) {
        LOG.log(Level.WARNING, this + ": log lines are lost: " + e.getMessage());
      }
    }
  }

  /** An attempt that must stop does not wait for a failing store. */
  private boolean isWorthRetrying() {
    return stop == null;
  }

  @Override
  public boolean freeze(JsonObject terms) {
    Outcome[] answer = {new Outcome.Refused("the store fails")};
    if (step.get() == Step.RUN) {
      zone.shield(
          () ->
              answer[0] =
                  storeRetry
                      .callWithRetry(() -> store.freeze(claim, terms), this::isWorthRetrying)
                      .orElse(answer[0]));
    }
    return answer[0].isDone();
  }

  @Override
  public void journal(OutputChunk chunk) {
    if (step.get() == Step.RUN && !journalEnds) {
      zone.shield(() -> append(chunk));
    }
  }

  private void append(OutputChunk chunk) {
    journalEnds = true; // also if this throws
    Optional<ClaimSignal> signal =
        storeRetry.callWithRetry(() -> store.appendJournal(claim, chunk), this::isWorthRetrying);
    journalEnds = signal.isEmpty();
    signal.ifPresent(this::obey);
  }

  @Override
  public void progress() {
    progress.set(true);
  }

  @Override
  public boolean paused() {
    return paused;
  }

  @Override
  public void onPause(Runnable hook) {
    synchronized (pauseHooks) {
      if (!paused) {
        pauseHooks.add(hook);
        return;
      }
    }
    call(hook);
  }

  @Override
  public void releaseSlotWhile(BooleanSupplier waiting) {
    outsideWait = waiting;
  }

  /** Whether the worker waits for something outside of this server. */
  boolean isWaitingOutside() {
    try {
      return step.get() == Step.RUN && outsideWait.getAsBoolean();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, this + ": the condition of its wait failed", e);
      outsideWait = () -> false;
      return false;
    }
  }

  @Override
  public boolean timedOut() {
    return stop == StopReason.TIMED_OUT;
  }

  @Override
  public boolean cancelled() {
    return stop != null;
  }

  @Override
  public void onCancel(Runnable hook) {
    synchronized (hooks) {
      if (stop == null) {
        hooks.add(hook);
        return;
      }
    }
    call(hook);
  }

  @Override
  public String toString() {
    return "task " + claim;
  }
}
