package dev.millrace.server;

import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;

/** How an attempt ended. */
public sealed interface TaskOutcome {

  /** The task has a result. */
  record Done(TaskResult result) implements TaskOutcome {}

  /** The attempt failed: it counts, and another follows while attempts are left. */
  record Failed(Failure failure) implements TaskOutcome {}

  /** The task goes back into the queue, and the attempt does not count. */
  record Released(String reason) implements TaskOutcome {}

  static TaskOutcome done(String text) {
    return new Done(TaskResult.of(text));
  }

  static TaskOutcome failed(String message) {
    return new Failed(Failure.of(message));
  }

  /** A failure with the exception's message, or the name of its class if it has none. */
  static TaskOutcome thrown(Throwable problem) {
    String message = problem.getMessage();
    return failed(message == null || message.isBlank() ? problem.getClass().getName() : message);
  }
}
