package dev.millrace.core.stage;

/** The states of a stage. */
public enum StageState {
  /** An earlier stage is not completed. */
  CREATED,
  /** Open: its tasks can be claimed, none has started. */
  PENDING,
  /** Held at a gate, or by an external condition, until a user approves. Holds no worker. */
  WAITING,
  /** At least one of its tasks has started. */
  IN_PROGRESS,
  /** Its tasks are done, failures within its tolerance. Final; opens the next stage. */
  COMPLETED,
  /**
   * More tasks failed than it tolerates, or a template could not be rendered. Final; fails the job.
   */
  FAILED,
  /** Ended with its job. Final. */
  ABORTED;

  public boolean isFinal() {
    return StageTransitions.TABLE.isFinal(this);
  }

  /** Whether tasks of a stage in this state may be claimed. */
  public boolean isOpen() {
    return this == PENDING || this == IN_PROGRESS;
  }
}
