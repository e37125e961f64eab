package dev.millrace.server;

import dev.millrace.core.rules.Answer;
import dev.millrace.core.store.Claim;

/**
 * Is told what a server does, for displays of progress. Called on the tasks' own threads, many at
 * once; what it throws is logged and ignored, and while it takes its time a slot is taken.
 */
public interface ServerListener {

  /** A worker is about to get the task. */
  default void started(Claim claim) {}

  /**
   * An attempt is over.
   *
   * @param answer what the store said: {@link Answer.Done} if the outcome counts
   */
  default void finished(Claim claim, TaskOutcome outcome, Answer answer) {}
}
