package dev.millrace.cli.verify;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.format.TaskJson;
import dev.millrace.cli.place.Place;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The completed tasks of a job that a model processed, with their frozen terms.
 *
 * @param tasks in order
 * @param skipped number of tasks that were left out: not completed, or not processed by a model
 */
record FrozenTasks(List<FrozenTask> tasks, int skipped) {
  /** A task and its terms. */
  record FrozenTask(StageView stage, TaskView task, JsonObject terms) {
    String label() {
      return task.stage() + "/" + task.task();
    }

    /** A text of the terms, else of the receipt; empty if neither has it. */
    String term(String name) {
      JsonObject receipt = Objects.requireNonNull(task.result()).receipt();
      Object value = receipt == null || terms.has(name) ? terms.get(name) : receipt.get(name);
      return value instanceof String text ? text : "";
    }
  }

  /** The tasks of stage {@code stage} with number {@code task}; 0 means all. */
  static FrozenTasks of(Place place, JobView view, int stage, int task) {
    JobId id = view.header().id();
    if (stage > view.stages().size()) {
      throw new CommandException(
          "no stage " + stage + ": job " + id + " has " + view.stages().size());
    }
    Map<EntityId, JsonObject> terms = place.frozenTerms(id);
    JobReader reader = place.reader();
    List<FrozenTask> tasks = new ArrayList<>();
    int[] seen = {0};
    for (StageView each : view.stages()) {
      if (stage == 0 || stage == each.number()) {
        TaskJson.each(
            reader,
            id,
            each.number(),
            found -> {
              if (task == 0 || task == found.task()) {
                seen[0]++;
                add(tasks, each, found, terms.get(new EntityId(id, found.stage(), found.task())));
              }
            });
      }
    }
    if (task != 0 && seen[0] == 0) {
      throw new CommandException("no task " + task + " in that stage of job " + id);
    }
    return new FrozenTasks(tasks, seen[0] - tasks.size());
  }

  private static void add(
      List<FrozenTask> tasks, StageView stage, TaskView task, @Nullable JsonObject terms) {
    if (isDone(task) && (terms != null || isVector(stage, task))) {
      tasks.add(new FrozenTask(stage, task, terms == null ? JsonObject.create() : terms));
    }
  }

  private static boolean isDone(TaskView task) {
    return task.state() == TaskState.COMPLETED && task.result() != null;
  }

  /** An embedding has no frozen terms: its receipt is enough. */
  private static boolean isVector(StageView stage, TaskView task) {
    TaskResult result = Objects.requireNonNull(task.result());
    return stage.type().equals("embed")
        && result.receipt() != null
        && result.receipt().has("model_sha256");
  }
}
