package dev.millrace.client.worker;

import org.jspecify.annotations.Nullable;

/** Processes the tasks of a worker. Called by many threads at once. */
@FunctionalInterface
public interface TaskHandler {

  /**
   * Processes one task.
   *
   * @return the result: text, any JSON value, or null for none. The task becomes COMPLETED, or
   *     FAILED without a retry if the result cannot be written as JSON or is too large for the
   *     server
   * @throws PermanentFailure if no further attempt can succeed: the task becomes FAILED
   * @throws ReleaseTask to return the task to the queue; costs no attempt
   * @throws Exception if the attempt failed; the task is retried while it has attempts left
   */
  @Nullable Object handle(TaskContext task) throws Exception;
}
