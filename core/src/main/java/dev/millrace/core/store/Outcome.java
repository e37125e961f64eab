package dev.millrace.core.store;

/** What a lever answers. A lost race is a value, not an exception. */
public sealed interface Outcome {

  /** It happened, and is durable. */
  record Done() implements Outcome {}

  /** The table or a guard does not allow it; nothing changed. */
  record Refused(Reason reason, String message) implements Outcome {
    public Refused(String message) {
      this(Reason.TRANSITION, message);
    }
  }

  /** Which rule refused. */
  enum Reason {
    /** No row of the table. */
    TRANSITION,
    /** The stage's turn has not come. */
    PREVIOUS_STAGE,
    /** The job has ended; or, of what only an ended job allows, it has not. */
    JOB_ENDED,
    JOB_NOT_ENDED,
    STAGE_ENDED,
    /** The stage runs, and what it counts on must not change under it. */
    STAGE_RUNNING,
    /** The job was submitted whole and does not grow. */
    SEALED,
    /** It would be larger than a job may be. */
    TOO_LARGE,
    /** It is so already. */
    SAME
  }

  /** The claim behind the answer is no longer the task's present one; nothing changed. */
  record Fenced(String message) implements Outcome {}

  /** The task's job ended meanwhile; output is kept as partial, not published. */
  record Cancelled(String message) implements Outcome {}

  /** There is no such job, stage or task. */
  record Missing(String message) implements Outcome {}

  Outcome DONE = new Done();

  default boolean isDone() {
    return this instanceof Done;
  }
}
