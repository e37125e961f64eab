package dev.millrace.core.store;

/** The outcome of a lever or a worker's answer. A lost race is a value, not an exception. */
public sealed interface Outcome {

  /**
   * The change is made and durable.
   *
   * @param first the number of the first thing that a lever added; 0 if it added nothing
   */
  record Done(int first) implements Outcome {}

  /** The transition table or a rule does not allow it; nothing changed. */
  record Refused(Reason reason, String message) implements Outcome {
    public Refused(String message) {
      this(Reason.TRANSITION, message);
    }
  }

  /** The rule that refused. */
  enum Reason {
    /** The table has no such transition. */
    TRANSITION,
    /** An earlier stage is not completed. */
    PREVIOUS_STAGE,
    /** The job has ended, or has not ended where only an ended job is allowed. */
    JOB_ENDED,
    JOB_NOT_ENDED,
    STAGE_ENDED,
    /** The stage is running, and its tasks must not change now. */
    STAGE_RUNNING,
    /** The job was submitted whole; nothing can be added. */
    SEALED,
    /** The job would get too large. */
    TOO_LARGE,
    /** It has that value already. */
    SAME
  }

  /** The answer's claim is not the task's present claim; nothing changed. */
  record Fenced(String message) implements Outcome {}

  /** The task's job has ended; the output is kept as partial, not published. */
  record Cancelled(String message) implements Outcome {}

  /** There is no such job, stage or task. */
  record Missing(String message) implements Outcome {}

  Outcome DONE = new Done(0);

  /** Why it was not done; empty if it was. */
  default String message() {
    return ""; // the records of the other outcomes have one
  }

  default boolean isDone() {
    return this instanceof Done;
  }
}
