package dev.millrace.server;

import dev.millrace.core.job.TraceContext;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.store.Claim;
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
   * @param answer what the store said: {@link Answer.Done} if the outcome counts
   */
  default void finished(Claim claim, TaskOutcome outcome, Answer answer) {}

  /** Tells this one, then the other; the first trace that one of them keeps counts. */
  default ServerListener and(ServerListener other) {
    return new BothListeners(this, other);
  }
}
