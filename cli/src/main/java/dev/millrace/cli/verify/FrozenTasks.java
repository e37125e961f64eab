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
import dev.millrace.server.infer.FrozenTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The completed tasks of a job that a model processed, with their frozen terms.
 *
 * @param tasks in order
 * @param skipped number of tasks that were left out: not completed, or not processed by a model
 */
record FrozenTasks(List<FrozenTask> tasks, int skipped) {
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
                JsonObject own = terms.get(new EntityId(id, found.stage(), found.task()));
                FrozenTask.of(each, found, own).ifPresent(tasks::add);
              }
            });
      }
    }
    if (task != 0 && seen[0] == 0) {
      throw new CommandException("no task " + task + " in that stage of job " + id);
    }
    return new FrozenTasks(tasks, seen[0] - tasks.size());
  }
}
