package dev.millrace.server;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Is told what a server does, for displays of progress. Called on the tasks' own threads, many at
 * once; what it throws is logged and ignored, and while it takes its time a slot is taken.
 */
public interface ServerListener {

  /** A worker is about to get the task. */
  default void started(Claim claim) {}

  /** The trace of an attempt that has started, if the listener keeps one; its worker is told. */
  default @Nullable TraceContext trace(Claim claim) {
    return null;
  }

  /**
   * An attempt is over.
   *
   * @param answer what the store said: {@link Outcome.Done} if the outcome counts
   */
  default void finished(Claim claim, TaskOutcome outcome, Outcome answer) {}

  /** Tells this one, then the other; the first trace that one of them keeps counts. */
  default ServerListener and(ServerListener other) {
    return new BothListeners(this, other);
  }
}
