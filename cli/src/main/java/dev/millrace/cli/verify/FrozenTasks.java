package dev.millrace.cli.verify;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.format.TaskPages;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The completed tasks of a job that a model has done, with the terms under which it did.
 *
 * @param tasks in order
 * @param others how many tasks were left out: not completed, or done by something else
 */
record FrozenTasks(List<FrozenTask> tasks, int skipped) {
  private static final int PAGE = 1_000;

  /** A task and its terms. */
  record FrozenTask(StageView stage, TaskView task, JsonObject terms) {
    String place() {
      return task.stage() + "/" + task.task();
    }

    /** What the terms say under a name, or else the receipt; empty where neither does. */
    String term(String name) {
      JsonObject receipt = Objects.requireNonNull(task.result()).receipt();
      Object said = receipt == null || terms.has(name) ? terms.get(name) : receipt.get(name);
      return said instanceof String text ? text : "";
    }
  }

  private record Place(int stage, int task) {}

  /** Those of stage number {@code stage} and task number {@code task}; 0: of all. */
  static FrozenTasks of(JobReader reading, JobView view, int stage, int task) {
    JobId id = view.header().id();
    if (stage > view.stages().size()) {
      throw new CommandException(
          "no stage " + stage + ": job " + id + " has " + view.stages().size());
    }
    Map<Place, JsonObject> terms = terms(reading, id);
    List<FrozenTask> tasks = new ArrayList<>();
    int[] seen = {0};
    for (StageView each : view.stages()) {
      if (stage == 0 || stage == each.number()) {
        TaskPages.each(
            reading,
            id,
            each.number(),
            found -> {
              if (task == 0 || task == found.task()) {
                seen[0]++;
                add(tasks, each, found, terms.get(new Place(found.stage(), found.task())));
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

  /** A vector has nothing to settle, so its receipt is all that there is. */
  private static boolean isVector(StageView stage, TaskView task) {
    TaskResult result = Objects.requireNonNull(task.result());
    return stage.type().equals("embed")
        && result.receipt() != null
        && result.receipt().has("model_sha256");
  }

  /** The last terms of each task: a second freezing replaces the first. */
  private static Map<Place, JsonObject> terms(JobReader reading, JobId id) {
    Map<Place, JsonObject> terms = new HashMap<>();
    long after = 0;
    for (List<LogEntry> page = reading.events(id, after, PAGE);
        !page.isEmpty();
        page = reading.events(id, after, PAGE)) {
      for (LogEntry entry : page) {
        if (entry.fact() instanceof Fact.TermsFrozen(int stage, int task, JsonObject own)) {
          terms.put(new Place(stage, task), own);
        }
      }
      after = page.getLast().number();
    }
    return terms;
  }
}
