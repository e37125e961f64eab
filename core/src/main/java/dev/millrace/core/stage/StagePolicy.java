package dev.millrace.core.stage;

import dev.millrace.core.task.TaskPolicy;

/**
 * The settings of a stage: its gate, its failure tolerance and the limits of its tasks.
 *
 * @param gate whether it waits for a user's approval before it opens
 * @param tolerance how many of its tasks may fail
 * @param policy the limits of each of its tasks
 */
public record StagePolicy(boolean gate, FailureTolerance tolerance, TaskPolicy policy) {
  /** No gate, no tolerated failure, and the default limits. */
  public static final StagePolicy DEFAULT =
      new StagePolicy(false, FailureTolerance.NONE, TaskPolicy.DEFAULT);
}
