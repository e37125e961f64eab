package dev.millrace.core.store;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job as a reader sees it.
 *
 * @param error why it failed, or why its files cannot be read
 * @param lastEvent the number of the last entry in its log
 */
public record JobView(
    JobHeader header,
    JobState state,
    Timestamps times,
    @Nullable String error,
    long lastEvent,
    List<StageView> stages) {

  /**
   * A stage as a reader sees it.
   *
   * @param spec the stage as submitted, without tasks
   * @param metadata what is kept with it now
   */
  public record StageView(
      int number,
      StageState state,
      TaskCounts counts,
      @Nullable Instant startedAt,
      @Nullable Instant completedAt,
      @Nullable String error,
      StageSpec spec,
      JsonObject metadata) {

    public String type() {
      return spec.type();
    }

    public boolean gate() {
      return spec.gate();
    }

    /** How many tasks it has. */
    public int total() {
      return counts.total();
    }

    /** How many of its completed tasks were adopted from an earlier job. */
    public int adopted() {
      return counts.adopted();
    }

    /** How many of its tasks are in each state; states without tasks are left out. */
    public Map<TaskState, Integer> tasks() {
      return counts.byState();
    }
  }

  /**
   * How many tasks a stage has.
   *
   * @param adopted how many of the completed ones were adopted from an earlier job
   */
  public record TaskCounts(int total, Map<TaskState, Integer> byState, int adopted) {}

  public Instant createdAt() {
    return times.createdAt();
  }

  public Instant updatedAt() {
    return times.updatedAt();
  }

  public @Nullable Instant startedAt() {
    return times.startedAt();
  }

  public @Nullable Instant completedAt() {
    return times.completedAt();
  }

  /**
   * The stage that waits for nothing but a user's approval. Empty if there is none, and if the job
   * is paused or has ended: an approval alone would not let it continue.
   */
  public Optional<StageView> stageAtGate() {
    if (!state.isOpen()) {
      return Optional.empty();
    }
    boolean previousCompleted = true;
    for (StageView stage : stages) {
      if (stage.state() == StageState.WAITING && previousCompleted) {
        return Optional.of(stage);
      }
      previousCompleted = stage.state() == StageState.COMPLETED;
    }
    return Optional.empty();
  }

  /** The same job in another state, for a store that knows more than the log says. */
  public JobView withState(JobState other) {
    Timestamps changed =
        new Timestamps(
            times.createdAt(),
            times.updatedAt(),
            times.startedAt(),
            other.isFinal() ? times.completedAt() : null);
    return new JobView(header, other, changed, error, lastEvent, stages);
  }

  /** The same job, with a reason why a store cannot read its files. */
  public JobView withProblem(String why) {
    return new JobView(header, state, times, error == null ? why : error, lastEvent, stages);
  }
}
