package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rules for a user's levers. What follows from a lever is recorded in the same update. */
public final class LeverRules {
  private LeverRules() {}

  /**
   * Carries out a lever.
   *
   * @param submitted the job as submitted
   */
  public static Outcome apply(JobUpdate update, Lever lever, JobHeader submitted, Cause cause) {
    return switch (lever) {
      case Lever.Pause _, Lever.Resume _, Lever.Abort _ ->
          applyToJob(update, Objects.requireNonNull(jobEvent(lever)), cause);
      case Lever.Approve(int stage) -> approve(update, stage, cause);
      case Lever.Hold(int stage) -> hold(update, stage, cause);
      case Lever.Prioritize(Priority priority) ->
          AdditionRules.prioritize(
              update,
              priority,
              submitted.withChanges(update.fold().priority(), null).priority(),
              cause);
      case Lever.Describe(int stage, int task, JsonObject metadata) ->
          AdditionRules.replaceMetadata(update, stage, task, metadata, cause);
      case Lever.AddStage(StageSpec spec) -> AdditionRules.addStage(update, spec, cause);
      case Lever.AddTasks(int stage, List<TaskSpec> tasks) ->
          AdditionRules.addTasks(update, stage, tasks, cause);
      case Lever.Delete() -> AdditionRules.allowsDelete(update.fold());
    };
  }

  /** The event of a lever that changes the job's own state; null for the others. */
  public static @Nullable JobEvent jobEvent(Lever lever) {
    return switch (lever) {
      case Lever.Pause _ -> JobEvent.PAUSE;
      case Lever.Resume _ -> JobEvent.RESUME;
      case Lever.Abort _ -> JobEvent.ABORT;
      default -> null;
    };
  }

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
    if (fold.state().isFinal()) {
      return ended(fold, number);
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
    if (fold.state().isFinal()) {
      return ended(fold, number);
    }
    update.record(new Fact.StageChanged(number, StageEvent.HOLD, cause, null));
    update.runCascade();
    return Outcome.DONE;
  }

  /** A stage that never began keeps its state when its job fails; it cannot begin any more. */
  private static Outcome ended(JobFold fold, int stage) {
    return new Outcome.Refused(
        Outcome.Reason.JOB_ENDED,
        "the job is " + fold.state() + ": stage " + stage + " no longer changes");
  }
}
