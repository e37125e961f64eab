package dev.millrace.server;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Observes the tasks of a server, for example to display progress. Called on the threads of the
 * tasks, many at once. Exceptions are logged and ignored. A slow listener keeps the task's slot
 * occupied.
 */
public interface TaskListener {

  /** A worker is about to start the task. */
  default void started(Claim claim) {}

  /** The trace of a started attempt, if the listener has one; the worker can read it. */
  default @Nullable TraceContext trace(Claim claim) {
    return null;
  }

  /**
   * An attempt has ended.
   *
   * @param answer the store's answer: {@link Outcome.Done} if the outcome counts
   */
  default void finished(Claim claim, TaskOutcome outcome, Outcome answer) {}

  /** Notifies one, then the other, even if the one fails. */
  static TaskListener both(TaskListener one, TaskListener other) {
    return new TaskListener() {
      @Override
      public void started(Claim claim) {
        try {
          one.started(claim);
        } finally {
          other.started(claim);
        }
      }

      @Override
      public @Nullable TraceContext trace(Claim claim) {
        TraceContext first = one.trace(claim);
        return first == null ? other.trace(claim) : first;
      }

      @Override
      public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
        try {
          one.finished(claim, outcome, answer);
        } finally {
          other.finished(claim, outcome, answer);
        }
      }
    };
  }
}
