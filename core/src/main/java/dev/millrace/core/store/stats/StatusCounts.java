package dev.millrace.core.store.stats;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.Map;

/**
 * How many jobs, stages and tasks are in each state; groups without any are left out. Stages and
 * tasks that never began in a job that has ended are not counted: they wait for nothing.
 *
 * @param complete whether all jobs are counted that existed before counting began
 * @param queue tasks that wait in an open stage of an open job, and all that a worker has claimed
 * @param oldest when the oldest job with such a waiting task was created, to the second
 * @param atGate jobs that wait for a user's approval, see {@link
 *     dev.millrace.core.store.JobView#stageAtGate}
 * @param unreadable jobs that cannot be read; {@code jobs} counts them in their states, too
 */
public record StatusCounts(
    boolean complete,
    Map<JobState, Long> jobs,
    Map<StageGroup, Long> stages,
    Map<TaskGroup, Long> tasks,
    Map<TaskGroup, Long> queue,
    Map<QueueGroup, Instant> oldest,
    long atGate,
    long unreadable) {

  /** The type that stands for all types beyond the first thousand. */
  public static final String OTHER_TYPES = "other";

  /** Stages of one type in one state. */
  public record StageGroup(StageState state, String type) {}

  /** Tasks of one type and one priority in one state. */
  public record TaskGroup(TaskState state, String type, Priority priority) {}

  /** Waiting jobs of one type and one priority. */
  public record QueueGroup(String type, Priority priority) {}
}
