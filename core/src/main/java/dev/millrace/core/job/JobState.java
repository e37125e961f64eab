package dev.millrace.core.job;

/** The states of a job. In a workspace, each has a directory. */
public enum JobState {
  /** Being assembled, invisible to workers. The system enqueues it, or a user holds it. */
  CREATED,
  /** Waits for its first task to be claimed, or is on its way back from a pause. */
  PENDING,
  /** At least one task has been claimed. Its stages or a user end it. */
  IN_PROGRESS,
  /** A user paused it: nothing new is claimed until a user resumes or aborts it. */
  PAUSED,
  /** Every stage completed. Final. */
  COMPLETED,
  /** A stage failed. Final. */
  FAILED,
  /** A user ended it. Final. */
  ABORTED;

  public boolean isFinal() {
    return JobTransitions.TABLE.isFinal(this);
  }

  /** Whether tasks of a job in this state may be claimed at all. */
  public boolean isOpen() {
    return this == PENDING || this == IN_PROGRESS;
  }
}
