package dev.millrace.core.internal.rules;

import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.JobView.TaskCounts;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.TaskView.Answer;
import dev.millrace.core.store.TaskView.AttemptCounts;
import dev.millrace.core.store.TaskView.Content;
import dev.millrace.core.store.TaskView.LastClaim;
import dev.millrace.core.store.Timestamps;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the views that readers get from the folds that the rules work on. */
public final class ViewFactory {
  private ViewFactory() {}

  /** The job with its stages. */
  public static JobView job(JobHeader header, JobFold fold) {
    List<StageView> stages = fold.stages().stream().map(ViewFactory::stage).toList();
    String error =
        stages.stream()
            .filter(stage -> stage.state() == StageState.FAILED)
            .map(stage -> "stage " + stage.number() + " (" + stage.type() + "): " + stage.error())
            .findFirst()
            .orElse(null);
    return new JobView(
        header.withChanges(fold.priority(), fold.metadata()),
        fold.state(),
        new Timestamps(
            fold.plan().createdAt(), fold.lastAt(), fold.startedAt(), fold.completedAt()),
        error,
        fold.lastNumber(),
        stages);
  }

  private static StageView stage(StageFold stage) {
    Map<TaskState, Integer> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      if (stage.count(state) > 0) {
        counts.put(state, stage.count(state));
      }
    }
    return new StageView(
        stage.number(),
        stage.state(),
        new TaskCounts(stage.size(), counts, stage.adopted()),
        stage.startedAt(),
        stage.completedAt(),
        stage.error(),
        stage.plan().spec(),
        stage.metadata());
  }

  /**
   * Task {@code number} of a stage.
   *
   * @param spec the task as submitted or, for a template, as rendered; null if it cannot be read
   */
  public static TaskView task(
      StageFold stage, int number, @Nullable TaskSpec spec, @Nullable TaskResult result) {
    return task(stage.number(), stage.plan(), number, stage.task(number), spec, result);
  }

  /** The same from an earlier state of the task, {@code fold}. */
  public static TaskView task(
      int stage,
      StagePlan plan,
      int number,
      TaskFold fold,
      @Nullable TaskSpec spec,
      @Nullable TaskResult result) {
    JsonObject submitted = spec == null ? JsonObject.create() : spec.metadata();
    return new TaskView(
        stage,
        number,
        fold.state(),
        new AttemptCounts(fold.attempts(), fold.maxAttempts(plan.policy()), notBefore(fold)),
        lastClaim(fold.lastClaim()),
        new Timestamps(fold.createdAt(), fold.updatedAt(), fold.startedAt(), fold.completedAt()),
        new Content(
            spec == null ? null : spec.input(),
            fold.metadata() == null ? submitted : fold.metadata(),
            spec == null ? null : spec.trace()),
        new Answer(result, fold.error(), fold.adoption()));
  }

  private static @Nullable LastClaim lastClaim(TaskFold.@Nullable LoggedClaim claim) {
    return claim == null ? null : new LastClaim(claim.worker(), claim.token(), claim.tokenless());
  }

  private static @Nullable Instant notBefore(TaskFold fold) {
    return fold.notBefore() == null ? null : fold.notBefore().wall();
  }
}
