package dev.millrace.core.rules;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;

/** What users may do to a job, each with everything that follows from it in the same turn. */
public final class Levers {
  private Levers() {}

  /** Any of START, RESUME, PAUSE, ABORT. */
  public static Answer pull(Turn turn, JobEvent event, Cause cause) {
    JobState state = turn.fold().state();
    if (JobTransitions.TABLE.next(state, event).isEmpty()) {
      return new Answer.Refused(JobTransitions.TABLE.refusal(state, event));
    }
    turn.record(new Fact.OfJob(event, cause));
    turn.settle();
    return Answer.DONE;
  }

  /** WAITING to PENDING, once the previous stage is COMPLETED and the job has not ended. */
  public static Answer approve(Turn turn, int number, Cause cause) {
    JobFold fold = turn.fold();
    if (!fold.hasStage(number)) {
      return new Answer.Missing("no stage " + number + "; the job has " + fold.stageCount());
    }
    StageFold stage = fold.stage(number);
    if (StageTransitions.TABLE.next(stage.state(), StageEvent.APPROVE).isEmpty()) {
      return new Answer.Refused(StageTransitions.TABLE.refusal(stage.state(), StageEvent.APPROVE));
    }
    if (!Cascade.turnOf(fold, stage)) {
      return new Answer.Refused(
          Answer.Reason.PREVIOUS_STAGE,
          "stage "
              + number
              + ": Previous stage is not COMPLETED ("
              + fold.stage(number - 1).state()
              + ")");
    }
    Fact.Opening opening = stage.unresolved() ? turn.openings().open(stage) : null;
    turn.record(new Fact.OfStage(number, StageEvent.APPROVE, cause, opening));
    turn.settle();
    return Answer.DONE;
  }

  /** CREATED, PENDING or IN_PROGRESS to WAITING, for an external condition. */
  public static Answer hold(Turn turn, int number, Cause cause) {
    JobFold fold = turn.fold();
    if (!fold.hasStage(number)) {
      return new Answer.Missing("no stage " + number + "; the job has " + fold.stageCount());
    }
    StageState state = fold.stage(number).state();
    if (StageTransitions.TABLE.next(state, StageEvent.HOLD).isEmpty()) {
      return new Answer.Refused(StageTransitions.TABLE.refusal(state, StageEvent.HOLD));
    }
    turn.record(new Fact.OfStage(number, StageEvent.HOLD, cause, null));
    turn.settle();
    return Answer.DONE;
  }
}
