package dev.millrace.core.rules;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.Tolerance;
import dev.millrace.core.task.TaskPolicy;
import java.time.Instant;
import java.util.List;

/**
 * What the rules need to know of a job beyond its events: its shape, without any text.
 *
 * @param sealed whether it was submitted whole; an open job may still grow
 */
public record JobPlan(Instant createdAt, boolean held, boolean sealed, List<StagePlan> stages) {

  /**
   * The shape of a stage.
   *
   * @param tasks how many are given; an {@code each} stage has 0 until it opens
   * @param template whether its tasks wait for it to open
   */
  public record StagePlan(
      String type,
      boolean gate,
      Tolerance tolerance,
      TaskPolicy policy,
      int tasks,
      boolean template) {
    public static StagePlan of(StageSpec spec) {
      return new StagePlan(
          spec.type(),
          spec.gate(),
          spec.tolerance(),
          spec.policy(),
          spec.tasks().size(),
          spec.isTemplate());
    }
  }

  public JobPlan {
    stages = List.copyOf(stages);
  }

  public static JobPlan of(JobSpec spec, Instant createdAt) {
    return new JobPlan(
        createdAt, spec.held(), true, spec.stages().stream().map(StagePlan::of).toList());
  }

  public boolean hasTimeouts() {
    return stages.stream().anyMatch(stage -> stage.policy().hasTimeouts());
  }
}
