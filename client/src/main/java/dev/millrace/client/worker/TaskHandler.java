package dev.millrace.client.worker;

import org.jspecify.annotations.Nullable;

/** What a worker does with a task. Called by many threads at once. */
@FunctionalInterface
public interface TaskHandler {

  /**
   * @return the result: text, any JSON value, or null for none; the task is COMPLETED with it, or
   *     FAILED for good if it cannot be written as JSON or is larger than the server takes
   * @throws PermanentFailure if no other attempt could help: the task is FAILED
   * @throws ReleaseTask to give it back without costing an attempt
   * @throws Exception anything else: the attempt failed, and is repeated while attempts are left
   */
  @Nullable Object handle(TaskContext task) throws Exception;
}
