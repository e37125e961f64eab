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
}
