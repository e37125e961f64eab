package dev.millrace.api.live;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.util.Map;

/**
 * How many jobs, stages and tasks are in each state, of all servers that share the jobs.
 *
 * @param atGate jobs that wait for nothing but an approval
 * @param complete whether the jobs from before the server's start are counted, too
 */
public record LiveCounts(
    Map<JobState, Long> jobs,
    Map<StageState, Long> stages,
    Map<TaskState, Long> tasks,
    long atGate,
    boolean complete) {

  public LiveCounts {
    jobs = Map.copyOf(jobs);
    stages = Map.copyOf(stages);
    tasks = Map.copyOf(tasks);
  }

  static LiveCounts fromJson(JsonObject in) {
    return new LiveCounts(
        LiveFields.counts(JobState.class, in.object("jobs")),
        LiveFields.counts(StageState.class, in.object("stages")),
        LiveFields.counts(TaskState.class, in.object("tasks")),
        in.integer("jobsAtGate"),
        in.flag("countsComplete", false));
  }

  void putInto(JsonObject out) {
    out.put("jobs", LiveFields.counts(JobState.values(), jobs))
        .put("stages", LiveFields.counts(StageState.values(), stages))
        .put("tasks", LiveFields.counts(TaskState.values(), tasks))
        .put("jobsAtGate", atGate)
        .put("countsComplete", complete);
  }
}
