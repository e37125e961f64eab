package dev.millrace.core.stage;

import dev.millrace.core.state.TransitionTable;

/** The transition table of a stage. */
public final class StageTransitions {

  public static final TransitionTable<StageState, StageEvent> TABLE =
      TransitionTable.of(
          "stage",
          StageState.class,
          StageEvent.class,
          """
          OPEN     | S | CREATED                                | PENDING     | it is the first, or the previous one completed
          HOLD     | S | CREATED, PENDING, IN_PROGRESS          | WAITING     | an approval gate, or an external condition
          APPROVE  | U | WAITING                                | PENDING     | the previous stage is completed
          BEGIN    | S | PENDING                                | IN_PROGRESS | a task started, or had started before a hold
          COMPLETE | S | PENDING, IN_PROGRESS                   | COMPLETED   | all tasks completed; collecting: all final, within its tolerance; sealed and empty: at once
          FAIL     | S | PENDING, IN_PROGRESS                   | FAILED      | a task failed for good; collecting: more than it tolerates; a template has no answer
          ABORT    | S | CREATED, PENDING, WAITING, IN_PROGRESS | ABORTED     | its job was aborted
          """);

  private StageTransitions() {}
}
