package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import java.util.EnumMap;
import java.util.Map;

/**
 * How many tasks of a stage are in each state.
 *
 * @param adopted how many of the completed ones a retry took over from an earlier job
 */
public record StageSummary(
    int pending,
    int inProgress,
    int completed,
    int failed,
    int created,
    int retried,
    int aborted,
    int adopted,
    int total) {

  /**
   * @param tasks the number of tasks by state; a state without tasks may be missing
   */
  public static StageSummary of(Map<TaskState, Integer> tasks, int adopted, int total) {
    return new StageSummary(
        tasks.getOrDefault(TaskState.PENDING, 0),
        tasks.getOrDefault(TaskState.IN_PROGRESS, 0),
        tasks.getOrDefault(TaskState.COMPLETED, 0),
        tasks.getOrDefault(TaskState.FAILED, 0),
        tasks.getOrDefault(TaskState.CREATED, 0),
        tasks.getOrDefault(TaskState.RETRIED, 0),
        tasks.getOrDefault(TaskState.ABORTED, 0),
        adopted,
        total);
  }

  public static StageSummary fromJson(JsonObject in) {
    return new StageSummary(
        JsonFields.integer(in, "pending"),
        JsonFields.integer(in, "inProgress"),
        JsonFields.integer(in, "completed"),
        JsonFields.integer(in, "failed"),
        JsonFields.integer(in, "created"),
        JsonFields.integer(in, "retried"),
        Math.toIntExact(in.integer("aborted", 0)), // a Jobnik server has none
        Math.toIntExact(in.integer("adopted", 0)),
        JsonFields.integer(in, "total"));
  }

  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("pending", pending)
            .put("inProgress", inProgress)
            .put("completed", completed)
            .put("failed", failed)
            .put("created", created)
            .put("retried", retried)
            .put("aborted", aborted);
    if (adopted > 0) {
      out.put("adopted", adopted);
    }
    return out.put("total", total);
  }

  /** The number of tasks by state; a state without tasks is missing. */
  public Map<TaskState, Integer> byState() {
    Map<TaskState, Integer> counts = new EnumMap<>(TaskState.class);
    for (TaskState state : TaskState.values()) {
      if (count(state) > 0) {
        counts.put(state, count(state));
      }
    }
    return counts;
  }

  private int count(TaskState state) {
    return switch (state) {
      case CREATED -> created;
      case PENDING -> pending;
      case IN_PROGRESS -> inProgress;
      case RETRIED -> retried;
      case COMPLETED -> completed;
      case FAILED -> failed;
      case ABORTED -> aborted;
    };
  }
}
