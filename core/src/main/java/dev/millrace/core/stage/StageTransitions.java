package dev.millrace.core.stage;

import static dev.millrace.core.stage.StageState.ABORTED;
import static dev.millrace.core.stage.StageState.COMPLETED;
import static dev.millrace.core.stage.StageState.CREATED;
import static dev.millrace.core.stage.StageState.FAILED;
import static dev.millrace.core.stage.StageState.IN_PROGRESS;
import static dev.millrace.core.stage.StageState.PENDING;
import static dev.millrace.core.stage.StageState.WAITING;
import static dev.millrace.core.state.Actor.SYSTEM;
import static dev.millrace.core.state.Actor.USER;

import dev.millrace.core.state.TransitionTable;
import java.util.EnumSet;
import java.util.Set;

/** The transition table of a stage. */
public final class StageTransitions {

  public static final TransitionTable<StageState, StageEvent> TABLE =
      TransitionTable.of("stage", StageState.class, StageEvent.class)
          .on(StageEvent.OPEN, Set.of(SYSTEM), EnumSet.of(CREATED), PENDING,
              "it is the first, or the previous one completed")
          .on(StageEvent.HOLD, Set.of(SYSTEM), EnumSet.of(CREATED, PENDING, IN_PROGRESS), WAITING,
              "an approval gate, or an external condition")
          .on(StageEvent.APPROVE, Set.of(USER), EnumSet.of(WAITING), PENDING,
              "the previous stage is completed")
          .on(StageEvent.BEGIN, Set.of(SYSTEM), EnumSet.of(PENDING), IN_PROGRESS,
              "a task started, or had started before a hold")
          .on(StageEvent.COMPLETE, Set.of(SYSTEM), EnumSet.of(PENDING, IN_PROGRESS), COMPLETED,
              "all tasks completed; collecting: all final, within its tolerance; sealed and empty: at"
                  + " once")
          .on(StageEvent.FAIL, Set.of(SYSTEM), EnumSet.of(PENDING, IN_PROGRESS), FAILED,
              "a task failed for good; collecting: more than it tolerates; a template has no answer")
          .on(StageEvent.ABORT, Set.of(SYSTEM),
              EnumSet.of(CREATED, PENDING, WAITING, IN_PROGRESS), ABORTED, "its job ended")
          .build();

  private StageTransitions() {}
}
