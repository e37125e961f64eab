package dev.millrace.core.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The levers of a user. The effect is durable when a method returns. */
public interface JobControls {

  /** CREATED, PENDING or IN_PROGRESS to PAUSED. */
  Outcome pause(JobId id, Cause cause);

  /**
   * PAUSED to PENDING, and on to its earlier state. What finished during the pause takes effect.
   */
  Outcome resume(JobId id, Cause cause);

  /** Any state that is not final to ABORTED, with every stage and unfinished task. */
  Outcome abort(JobId id, Cause cause);

  /** A WAITING stage whose predecessor is COMPLETED to PENDING. */
  Outcome approve(JobId id, int stage, Cause cause);

  /**
   * A CREATED, PENDING or IN_PROGRESS stage to WAITING, for an external condition. Whatever watches
   * that condition calls this; a user's approval continues the stage.
   */
  Outcome hold(JobId id, int stage, Cause cause);

  /**
   * Adds a stage to an open job, with the tasks in {@code spec}. Two concurrent calls get two
   * numbers.
   *
   * @return the outcome with the number of the stage
   */
  Added addStage(JobId id, StageSpec spec, Cause cause);

  /**
   * Adds tasks to a stage of an open job that is not running yet. They can be claimed at once. An
   * empty list closes an empty stage: it completes when it opens.
   *
   * @return the outcome with the number of the first new task
   */
  Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause);

  /** Changes the priority of a job that has not ended, from the next claim on. */
  Outcome prioritize(JobId id, Priority priority, Cause cause);

  /**
   * Replaces the metadata of the job ({@code stage} 0), of a stage ({@code task} 0) or of a task,
   * in any state.
   */
  Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause);

  /** Deletes a job that has ended. */
  Outcome delete(JobId id);

  /**
   * The outcome of an addition.
   *
   * @param first the number of the first thing added; 0 unless {@code outcome} is done
   */
  record Added(Outcome outcome, int first) {}

  /**
   * Deletes jobs that ended before {@code before} in one of the final {@code states}. Only this and
   * {@link #delete} delete jobs.
   *
   * @return how many were deleted
   */
  int prune(Instant before, Set<JobState> states);
}
