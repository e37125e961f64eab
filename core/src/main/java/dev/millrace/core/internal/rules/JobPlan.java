package dev.millrace.core.internal.rules;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The stages of a job and the number of their tasks, without texts: what the rules need beside the
 * job's events.
 *
 * @param sealed whether it was submitted whole; stages and tasks can be added to an open job
 */
public record JobPlan(Instant createdAt, boolean held, boolean sealed, List<StagePlan> stages) {

  /**
   * The shape of a stage.
   *
   * @param spec the stage as submitted, without tasks
   * @param tasks how many are given; an {@code each} stage has 0 until it opens
   * @param template whether its tasks exist only once it opens
   * @param attempts the limits of tasks that have their own, by task number
   */
  public record StagePlan(
      StageSpec spec, int tasks, boolean template, Map<Integer, Integer> attempts) {

    public StagePlan(
        String type,
        boolean gate,
        FailureTolerance tolerance,
        TaskPolicy policy,
        int tasks,
        boolean template) {
      this(
          StageSpec.builder(type).gate(gate).tolerance(tolerance).policy(policy).build(),
          tasks,
          template,
          Map.of());
    }

    public static StagePlan of(StageSpec spec) {
      return new StagePlan(
          spec.withTasks(List.of()), spec.tasks().size(), spec.isTemplate(), attempts(spec));
    }

    /** The limits of tasks that have their own, by task number. */
    public static Map<Integer, Integer> attempts(StageSpec spec) {
      Map<Integer, Integer> own = new TreeMap<>();
      int number = 0;
      for (TaskSpec task : spec.tasks()) {
        number++;
        if (task.maxAttempts() != null) {
          own.put(number, task.maxAttempts());
        }
      }
      return own;
    }

    public String type() {
      return spec.type();
    }

    public boolean gate() {
      return spec.gate();
    }

    public FailureTolerance tolerance() {
      return spec.tolerance();
    }

    public TaskPolicy policy() {
      return spec.policy();
    }
  }

  public JobPlan {
    stages = List.copyOf(stages);
  }

  public static JobPlan of(JobSpec spec, Instant createdAt) {
    return new JobPlan(
        createdAt, spec.held(), !spec.open(), spec.stages().stream().map(StagePlan::of).toList());
  }
}
