package dev.millrace.http.job;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.parameters.TaskCheck;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the tasks of a whole job that workers of this server would run, as far as that is possible
 * without a model: their parameters, schemas and grammars.
 *
 * @param types the stage types that this server has workers for
 * @param models the names of its models; empty if it has none
 */
public record StageTaskCheck(Set<String> types, Set<String> models) {
  public StageTaskCheck {
    types = Set.copyOf(types);
    models = Set.copyOf(models);
  }

  /**
   * @param where what the error says before the number of the stage
   * @throws Problem INVALID naming the stage, the task and what is wrong
   */
  public void check(JobSpec spec, String where) {
    TaskCheck check = new TaskCheck(models);
    int number = 0;
    for (StageSpec stage : spec.stages()) {
      number++;
      if (types.contains(stage.type())) {
        check(check, stage, where + "stage " + number);
      }
    }
  }

  /** The result of a template is not known yet, but it is a text. */
  private static void check(TaskCheck check, StageSpec stage, String where) {
    if (stage.tasks().isEmpty()) {
      refuse(check.problem(stage.type(), stage.data(), "a text"), where);
    }
    int number = 0;
    for (TaskSpec task : stage.tasks()) {
      number++;
      refuse(
          check.problem(stage.type(), stage.data(), task.template() ? "a text" : task.input()),
          where + ", task " + number);
    }
  }

  private static void refuse(@Nullable String problem, String where) {
    if (problem != null) {
      throw new Problem(Problem.Kind.INVALID, where + ": " + problem);
    }
  }
}
