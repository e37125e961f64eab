package dev.millrace.core.store;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job as a reader sees it. */
public record JobView(
    JobHeader header,
    JobState state,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable String error,
    long lastEvent,
    List<StageView> stages) {

  /**
   * A stage as a reader sees it; {@code tasks} counts them by state.
   *
   * @param spec what was asked for, without tasks
   * @param metadata what is kept with it by now
   */
  public record StageView(
      int number,
      String type,
      boolean gate,
      StageState state,
      int total,
      Map<TaskState, Integer> tasks,
      @Nullable Instant startedAt,
      @Nullable Instant completedAt,
      @Nullable String error,
      StageSpec spec,
      JsonObject metadata) {}

  /** The same job in another state: where a store knows better than the log. */
  public JobView withState(JobState other) {
    return new JobView(
        header,
        other,
        createdAt,
        updatedAt,
        startedAt,
        other.isFinal() ? completedAt : null,
        error,
        lastEvent,
        stages);
  }

  /** The same job, of which a store cannot read what was asked. */
  public JobView withProblem(String why) {
    return new JobView(
        header,
        state,
        createdAt,
        updatedAt,
        startedAt,
        completedAt,
        error == null ? why : error,
        lastEvent,
        stages);
  }
}
