package dev.millrace.core.internal.count;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.stats.StatusCounts.StageGroup;
import dev.millrace.core.store.stats.StatusCounts.TaskGroup;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/** What one job adds to the counts. */
public final class JobCounts {
  /** Tasks that wait in an open stage of an open job, or run. */
  record QueuedTasks(TaskGroup group) {}

  /** A job that waits for a user's approval. */
  enum Gate {
    WAITING
  }

  /** A job that cannot be read. */
  enum Unreadable {
    JOB
  }

  private static final TaskState[] TASK_STATES = TaskState.values();

  private final JobState state;
  private final Priority priority;
  private final Instant createdAt;
  private final Map<Object, Integer> groups = new LinkedHashMap<>();
  private boolean previousCompleted = true;

  private JobCounts(JobState state, Priority priority, Instant createdAt) {
    this.state = state;
    this.priority = priority;
    this.createdAt = createdAt;
    groups.put(state, 1);
  }

  /**
   * @param state the job's state, if the store knows better than its log
   */
  public static JobCounts of(JobFold fold, JobState state, Priority priority) {
    JobCounts counts = new JobCounts(state, priority, fold.plan().createdAt());
    for (StageFold stage : fold.stages()) {
      counts.add(stage.plan().type(), stage.state(), stage::count);
    }
    return counts;
  }

  static JobCounts of(JobView job) {
    JobCounts counts = new JobCounts(job.state(), job.header().priority(), job.createdAt());
    for (StageView stage : job.stages()) {
      Map<TaskState, Integer> tasks = stage.tasks();
      counts.add(stage.type(), stage.state(), of -> tasks.getOrDefault(of, 0));
    }
    return counts;
  }

  /** A job of which only the state can be read. */
  static JobCounts unreadable(JobState state) {
    JobCounts counts = new JobCounts(state, Priority.MEDIUM, Instant.EPOCH);
    counts.groups.put(Unreadable.JOB, 1);
    return counts;
  }

  /** Adds the next stage of the job. */
  private void add(String type, StageState stage, ToIntFunction<TaskState> counts) {
    if (isCounted(stage.isFinal())) {
      groups.merge(new StageGroup(stage, type), 1, Integer::sum);
    }
    if (state.isOpen() && stage == StageState.WAITING && previousCompleted) {
      groups.put(Gate.WAITING, 1);
    }
    previousCompleted = stage == StageState.COMPLETED;
    boolean open = state.isOpen() && stage.isOpen();
    for (TaskState task : TASK_STATES) {
      int count = counts.applyAsInt(task);
      if (count > 0 && isCounted(task.isFinal())) {
        TaskGroup group = new TaskGroup(task, type, priority);
        groups.merge(group, count, Integer::sum);
        if (task == TaskState.IN_PROGRESS || open && task.isQueued()) {
          groups.merge(new QueuedTasks(group), count, Integer::sum);
        }
      }
    }
  }

  /** What has not ended in a job that has is no work to come. */
  private boolean isCounted(boolean ended) {
    return ended || !state.isFinal();
  }

  boolean isEnded() {
    return state.isFinal();
  }

  Instant createdAt() {
    return createdAt;
  }

  /** How many of its parts are in each group: a {@code JobState}, or one of the group records. */
  Map<Object, Integer> groups() {
    return groups;
  }
}
