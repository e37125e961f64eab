package dev.millrace.core.task;

/** The states of a task. */
public enum TaskState {
  /** A template that waits for its stage to open. */
  CREATED,
  /** Can be claimed once its stage is open. */
  PENDING,
  /** A worker holds it under a fencing token. */
  IN_PROGRESS,
  /** Failed or was released, and will be claimed again once its backoff has passed. */
  RETRIED,
  /** Its worker delivered a result. Final. */
  COMPLETED,
  /** Out of attempts, out of time, or it brought its server down too often. Final. */
  FAILED,
  /** Ended with its job. Final. */
  ABORTED;

  public boolean isFinal() {
    return TaskTransitions.TABLE.isFinal(this);
  }

  /** Whether the task stands in the queue. */
  public boolean isQueued() {
    return this == PENDING || this == RETRIED;
  }
}
