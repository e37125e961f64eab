package dev.millrace.core.store;

/** What the holder of a claim should do next. */
public enum ClaimSignal {
  /** Continue. */
  CONTINUE,
  /**
   * A user paused the job or held the stage: an engine task is released at its next token, others
   * continue.
   */
  PAUSE,
  /** The job has ended: stop. The output is kept as partial. */
  CANCEL,
  /** Another worker has the task now: stop. Answers of this worker are refused. */
  LOST;

  /** Whether the claim is still its worker's. */
  public boolean isPresent() {
    return this == CONTINUE || this == PAUSE;
  }
}
