package dev.millrace.server;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskQueue;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TraceContext;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.server.StopSignal.Reason;
import dev.millrace.server.internal.StoreRetry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
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

  private final Claim claim;
  private final long order;
  private final Instant since;
  private final long sinceNanos;
  private final ProcessClock clock;
  private final TaskQueue store;
  private final StoreRetry storeRetry;
  private final StopSignal stopSignal;
  private final AtomicReference<Step> step = new AtomicReference<>(Step.START);
  private final AtomicBoolean progress = new AtomicBoolean();
  private final AtomicBoolean linesLost = new AtomicBoolean();
  private final AttemptStatus output;
  private volatile Supplier<@Nullable TraceContext> trace = () -> null;
  private volatile BooleanSupplier outsideWait = () -> false;
  private volatile boolean journalEnds; // a chunk is missing: no other may follow

  TaskAttempt(Claim claim, long order, TaskQueue store, StoreRetry retry, ProcessClock clock) {
    this.output = new AttemptStatus(claim.journaledOutput());
    this.claim = claim;
    this.order = order;
    this.store = store;
    this.storeRetry = retry;
    this.stopSignal = new StopSignal("task " + claim);
    this.clock = clock;
    this.since = clock.instant();
    this.sinceNanos = clock.nanoTime();
  }

  /** Moves to {@code next} if it was not reached yet; false if another thread took that step. */
  boolean advance(Step next) {
    return step.getAndUpdate(now -> now.compareTo(next) < 0 ? next : now).compareTo(next) < 0;
  }

  /** Renews the claim, and obeys the signal that the store returns. */
  void heartbeat() {
    boolean runs = runs();
    ClaimSignal signal = store.heartbeat(claim, progress.getAndSet(false));
    if (runs) { // else the heartbeat only renews the lease
      obey(signal);
    }
  }

  private boolean runs() {
    return step.get().compareTo(Step.COMMIT) < 0;
  }

  void stopIfOutOfTime() {
    if (runs() && isOutOfTime()) {
      stop(Reason.TIMED_OUT);
    }
  }

  /** Setting the wall clock changes nothing, and time in a suspended machine does not count. */
  private boolean isOutOfTime() {
    Duration limit = claim.runTimeout();
    return limit != null && clock.nanoTime() - sinceNanos >= limit.toNanos();
  }

  private void obey(ClaimSignal signal) {
    if (signal != ClaimSignal.PAUSE) {
      stopSignal.endPause();
    }
    switch (signal) {
      case CONTINUE -> {}
      case PAUSE -> stopSignal.raise(Reason.PAUSED);
      case CANCEL -> stop(Reason.CANCELLED);
      case LOST -> stop(Reason.LOST);
    }
  }

  /** Makes the worker stop, and what it waits for in the store. */
  void stop(Reason reason) {
    if (stopSignal.raise(reason)) {
      storeRetry.wake();
    }
  }

  @Override
  public StopSignal stopSignal() {
    return stopSignal;
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
    return Optional.ofNullable(claim.runTimeout()).map(since::plus);
  }

  @Override
  public void log(String line) {
    if (step.get() == Step.RUN) {
      stopSignal.shield(() -> writeLog(line));
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
    return !stopSignal.mustStop();
  }

  @Override
  public boolean freeze(JsonObject terms) {
    Outcome[] answer = {new Outcome.Refused("the store fails")};
    if (step.get() == Step.RUN) {
      stopSignal.shield(
          () ->
              answer[0] =
                  storeRetry
                      .callWithRetry(() -> store.freeze(claim, terms), this::isWorthRetrying)
                      .orElse(answer[0]));
    }
    if (answer[0].isDone()) {
      output.restart();
    }
    return answer[0].isDone();
  }

  @Override
  public void journal(OutputChunk chunk) {
    if (step.get() == Step.RUN && !journalEnds) {
      stopSignal.shield(() -> append(chunk));
    }
  }

  private void append(OutputChunk chunk) {
    journalEnds = true; // also if this throws
    Optional<ClaimSignal> signal =
        storeRetry.callWithRetry(() -> store.appendJournal(claim, chunk), this::isWorthRetrying);
    journalEnds = signal.isEmpty();
    if (signal.isPresent()) {
      output.journaled(chunk, clock.nanoTime());
      obey(signal.get());
    }
  }

  @Override
  public void phase(TaskPhase phase, @Nullable String model) {
    output.phase(phase, model);
  }

  @Override
  public void promptProgress(int done, int total) {
    output.prompt(done, total);
  }

  /** Sets the counter of tokens that no model of this server made, before the worker gets the task. */
  void countTokens(LongAdder counter) {
    output.countInto(counter);
  }

  /** How far it is. */
  RunningTask running() {
    return new RunningTask(claim, since, output.now(clock.nanoTime()));
  }

  @Override
  public void progress() {
    progress.set(true);
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
  public String toString() {
    return "task " + claim;
  }
}
