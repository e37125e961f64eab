package dev.millrace.core.task;

/** The states of a task. */
public enum TaskState {
  /** A template that waits for its stage to open. */
  CREATED,
  /** Can be claimed once its stage is open. */
  PENDING,
  /** A worker has claimed it, under a fencing token. */
  IN_PROGRESS,
  /** Failed or was released; it is claimed again after its backoff. */
  RETRIED,
  /** Its worker sent a result, or it was adopted from an earlier job. Final. */
  COMPLETED,
  /** No attempts or no time left, or it crashed its server too often. Final. */
  FAILED,
  /** Ended with its job. Final. */
  ABORTED;

  public boolean isFinal() {
    return TaskTransitions.TABLE.isFinal(this);
  }

  /** Whether the task waits in the queue. */
  public boolean isQueued() {
    return this == PENDING || this == RETRIED;
  }
}
