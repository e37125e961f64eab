package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.store.Outcome;

/** The rules for a user's levers. What follows from a lever is recorded in the same update. */
public final class LeverRules {
  private LeverRules() {}

  /** Any of START, RESUME, PAUSE, ABORT. */
  public static Outcome applyToJob(JobUpdate update, JobEvent event, Cause cause) {
    JobState state = update.fold().state();
    if (JobTransitions.TABLE.next(state, event).isEmpty()) {
      return new Outcome.Refused(JobTransitions.TABLE.refusal(state, event));
    }
    update.record(new Fact.JobChanged(event, cause));
    update.runCascade();
    return Outcome.DONE;
  }

  /** WAITING to PENDING, once the previous stage is COMPLETED and the job has not ended. */
  public static Outcome approve(JobUpdate update, int number, Cause cause) {
    JobFold fold = update.fold();
    if (!fold.hasStage(number)) {
      return new Outcome.Missing("no stage " + number + "; the job has " + fold.stageCount());
    }
    StageFold stage = fold.stage(number);
    if (StageTransitions.TABLE.next(stage.state(), StageEvent.APPROVE).isEmpty()) {
      return new Outcome.Refused(StageTransitions.TABLE.refusal(stage.state(), StageEvent.APPROVE));
    }
    if (!Cascade.previousStagesCompleted(fold, stage)) {
      return new Outcome.Refused(
          Outcome.Reason.PREVIOUS_STAGE,
          "stage "
              + number
              + ": Previous stage is not COMPLETED ("
              + fold.stage(number - 1).state()
              + ")");
    }
    Fact.Opening opening =
        stage.hasUnresolvedTemplates() ? update.templateResolver().resolve(stage) : null;
    update.record(new Fact.StageChanged(number, StageEvent.APPROVE, cause, opening));
    update.runCascade();
    return Outcome.DONE;
  }

  /** CREATED, PENDING or IN_PROGRESS to WAITING, for an external condition. */
  public static Outcome hold(JobUpdate update, int number, Cause cause) {
    JobFold fold = update.fold();
    if (!fold.hasStage(number)) {
      return new Outcome.Missing("no stage " + number + "; the job has " + fold.stageCount());
    }
    StageState state = fold.stage(number).state();
    if (StageTransitions.TABLE.next(state, StageEvent.HOLD).isEmpty()) {
      return new Outcome.Refused(StageTransitions.TABLE.refusal(state, StageEvent.HOLD));
    }
    update.record(new Fact.StageChanged(number, StageEvent.HOLD, cause, null));
    update.runCascade();
    return Outcome.DONE;
  }
}
