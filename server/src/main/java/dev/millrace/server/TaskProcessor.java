package dev.millrace.server;

import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TraceContext;
import dev.millrace.server.StopSignal.Reason;
import dev.millrace.server.TaskAttempt.Step;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.internal.StoreRetry;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt: start, run the worker, commit the outcome. Shared by all task threads; one
 * thread at a time handles an attempt.
 */
final class TaskProcessor {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** With the delays between them, a few seconds. */
  private static final int RELEASE_TRIES = 6;

  private final JobStore store;
  private final Map<String, Worker> workers;
  private final StoreRetry storeRetry;
  private final TaskListener listener;
  private final OutcomeCounters counters = new OutcomeCounters();

  /**
   * @param workers by type
   */
  TaskProcessor(
      JobStore store, Map<String, Worker> workers, StoreRetry retry, TaskListener listener) {
    this.store = store;
    this.workers = Map.copyOf(workers);
    this.storeRetry = retry;
    this.listener = listener;
  }

  /**
   * Takes the attempt through all its steps.
   *
   * @throws StoreBrokenException if the store is broken; the task is left as it was
   */
  void process(TaskAttempt attempt) {
    if (!start(attempt)) {
      return;
    }
    TaskOutcome outcome = run(attempt);
    if (attempt.advance(Step.COMMIT)) {
      commit(attempt, outcome);
    } else {
      LOG.log(Level.INFO, attempt + ": the worker ended after the task was released");
    }
  }

  /** Releases a task although its worker still runs; false if its outcome is being committed. */
  boolean abandon(TaskAttempt attempt, String reason) {
    boolean first = attempt.advance(Step.COMMIT);
    if (first) {
      commit(attempt, new Released(reason));
    }
    return first;
  }

  private boolean start(TaskAttempt attempt) {
    boolean first = attempt.advance(Step.RUN);
    if (first) {
      LOG.log(Level.DEBUG, attempt + " claimed");
      attempt.setTraceSource(() -> trace(attempt.claim()));
      notifyListener("started", () -> listener.started(attempt.claim()));
    }
    return first;
  }

  /** The trace of a task; null if it cannot be read, which must not fail the task. */
  private @Nullable TraceContext trace(Claim claim) {
    try {
      TraceContext kept = listener.trace(claim);
      return kept == null ? TaskTraceLookup.of(store, claim) : kept;
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "task " + claim + ": trace cannot be read", e);
      return null;
    }
  }

  private TaskOutcome run(TaskAttempt attempt) {
    if (attempt.cancelled()) {
      return interpret(attempt, TaskOutcome.failed("stopped before it began"));
    }
    TaskOutcome outcome;
    try {
      Worker worker = worker(attempt.claim());
      outcome = attempt.stopSignal().runInterruptibly(() -> worker.work(attempt));
      if (outcome == null) { // from code that is not checked for null
        outcome = TaskOutcome.failed("the worker returned null");
      }
    } catch (Exception e) {
      outcome = TaskOutcome.thrown(e);
    } catch (Error e) {
      LOG.log(Level.ERROR, attempt + ": the worker failed", e);
      outcome = TaskOutcome.thrown(e);
    }
    return interpret(attempt, outcome);
  }

  private Worker worker(Claim claim) {
    Worker worker = workers.get(claim.type());
    if (worker == null) {
      throw new IllegalStateException("no worker for type \"" + claim.type() + "\"");
    }
    return worker;
  }

  /** Maps the end of a worker that was told to stop. A result counts even then. */
  private static TaskOutcome interpret(TaskAttempt attempt, TaskOutcome outcome) {
    if (outcome instanceof Done) {
      return outcome;
    }
    return switch (attempt.stopSignal().reason()) {
      case null -> outcome;
      case PAUSED, CANCELLED, LOST -> outcome;
      case SHUTDOWN -> new Released("shutdown");
      case TIMED_OUT -> {
        Failure late =
            Failure.of("run timeout: not finished within " + attempt.claim().runTimeout());
        yield new Failed(
            outcome instanceof Failed(Failure failure)
                ? late.withPartial(failure.partial(), failure.receipt())
                : late);
      }
    };
  }

  private void commit(TaskAttempt attempt, TaskOutcome outcome) {
    Optional<Outcome> stored =
        attempt.stopSignal().reason() == Reason.LOST
            ? Optional.of(new Outcome.Fenced("the claim was lost"))
            : store(attempt, outcome);
    if (stored.isEmpty()) {
      counters.unstored.increment();
      LOG.log(
          Level.ERROR,
          attempt
              + ": the outcome could not be stored before the server stopped; the task will run"
              + " again");
    }
    Outcome answer = stored.orElseGet(() -> new Outcome.Refused("the store fails"));
    if (stored.isPresent()) {
      logDropped(attempt, answer);
    }
    if (answer.isDone()) {
      logOutcome(attempt, outcome);
    }
    if (answer.isDone() && outcome instanceof Failed) {
      countFailedJob(attempt.claim());
    }
    counters.count(outcome, answer);
    notifyListener("finished", () -> listener.finished(attempt.claim(), outcome, answer));
  }

  /**
   * Stores the outcome. An error of this job fails the job; if even that cannot be written, the job
   * is left alone.
   */
  private Optional<Outcome> store(TaskAttempt attempt, TaskOutcome outcome) {
    try {
      // A release by a stopping server need not be written: the next owner finds the task anyway.
      int[] tries = {0};
      return storeRetry.callWithRetry(
          () -> answer(attempt.claim(), outcome),
          () ->
              !(outcome instanceof Released && attempt.stopSignal().reason() == Reason.SHUTDOWN)
                  || ++tries[0] < RELEASE_TRIES);
    } catch (JobException.Unreadable e) {
      LOG.log(
          Level.ERROR,
          attempt
              + ": "
              + e.getMessage()
              + "; when the job can be read again, the task runs again");
      return Optional.of(new Outcome.Refused(String.valueOf(e.getMessage())));
    } catch (JobException e) {
      LOG.log(Level.ERROR, attempt + ": " + e.getMessage() + "; the job fails");
      Failed failed = new Failed(Failure.permanent(String.valueOf(e.getMessage())));
      try {
        return storeRetry.callWithRetry(() -> answer(attempt.claim(), failed));
      } catch (JobException again) {
        LOG.log(Level.ERROR, attempt + ": " + again.getMessage() + "; the job is left alone");
        return Optional.of(new Outcome.Refused(String.valueOf(again.getMessage())));
      }
    }
  }

  private static void logOutcome(TaskAttempt attempt, TaskOutcome outcome) {
    switch (outcome) {
      case Done _ -> LOG.log(Level.DEBUG, attempt + " done");
      case Failed(Failure failure) ->
          LOG.log(Level.DEBUG, attempt + " failed: " + failure.message());
      case Released(String reason) -> LOG.log(Level.DEBUG, attempt + " released: " + reason);
    }
  }

  private static void logDropped(TaskAttempt attempt, Outcome answer) {
    switch (answer) {
      case Outcome.Done _ -> {}
      case Outcome.Cancelled(String message) ->
          LOG.log(Level.DEBUG, attempt + " stopped; the partial output is kept: " + message);
      case Outcome.Refused(var _, String message) -> dropped(attempt, message);
      case Outcome.Fenced(String message) -> dropped(attempt, message);
      case Outcome.Missing(String message) -> dropped(attempt, message);
    }
  }

  private static void dropped(TaskAttempt attempt, String why) {
    LOG.log(Level.INFO, attempt + ": the outcome came too late and is dropped: " + why);
  }

  private Outcome answer(Claim claim, TaskOutcome outcome) {
    return switch (outcome) {
      case Done(var result) -> {
        try {
          yield store.complete(claim, result);
        } catch (IllegalArgumentException e) {
          yield store.fail(claim, Failure.of("the store refuses the result: " + e.getMessage()));
        }
      }
      case Failed(Failure failure) -> store.fail(claim, failure);
      case Released(String reason) -> store.release(claim, reason);
    };
  }

  private void countFailedJob(Claim claim) {
    try {
      store
          .state(claim.job())
          .filter(JobState.FAILED::equals)
          .ifPresent(_ -> counters.failedJobs.increment());
    } catch (StoreException | Error e) {
      LOG.log(Level.DEBUG, "job " + claim.job() + ": cannot read whether it failed", e);
    }
  }

  private static void notifyListener(String what, Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error e) { // an Error, too: the task needs this thread
      LOG.log(Level.WARNING, "the listener failed in \"" + what + "\"", e);
    }
  }

  OutcomeCounters counters() {
    return counters;
  }
}
