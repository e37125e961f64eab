package dev.millrace.core.job;

import dev.millrace.core.state.TransitionTable;

/** The transition table of a job. */
public final class JobTransitions {

  public static final TransitionTable<JobState, JobEvent> TABLE =
      TransitionTable.of(
          "job",
          JobState.class,
          JobEvent.class,
          """
          ENQUEUE  | S | CREATED                               | PENDING     | it was submitted
          START    | U | CREATED                               | PENDING     | it was submitted on hold
          RESUME   | U | PAUSED                                | PENDING     | it was paused
          PAUSE    | U | CREATED, PENDING, IN_PROGRESS         | PAUSED      |
          ABORT    | U | CREATED, PENDING, IN_PROGRESS, PAUSED | ABORTED     | stages and unfinished tasks end with it
          BEGIN    | S | PENDING                               | IN_PROGRESS | a task started, or had started before a pause
          COMPLETE | S | PENDING, IN_PROGRESS                  | COMPLETED   | all stages completed
          FAIL     | S | PENDING, IN_PROGRESS                  | FAILED      | a stage failed; its unfinished tasks are aborted, later stages stay as they are
          """);

  private JobTransitions() {}
}
