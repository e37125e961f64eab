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

/** The levers of a user. Each is durable when it returns. */
public interface JobControls {

  /** CREATED, PENDING or IN_PROGRESS to PAUSED. */
  Outcome pause(JobId id, Cause cause);

  /** PAUSED to PENDING, and on to where it was; what finished meanwhile takes effect. */
  Outcome resume(JobId id, Cause cause);

  /** Any state that is not final to ABORTED, with every stage and unfinished task. */
  Outcome abort(JobId id, Cause cause);

  /** A WAITING stage whose predecessor is COMPLETED to PENDING. */
  Outcome approve(JobId id, int stage, Cause cause);

  /**
   * A CREATED, PENDING or IN_PROGRESS stage to WAITING, for an external condition: the system's
   * lever, pulled by whatever watches that condition. A user's approval lets it go on.
   */
  Outcome hold(JobId id, int stage, Cause cause);

  /**
   * Adds a stage to an open job, with the tasks in {@code spec}. Two at once get two numbers.
   *
   * @return with the number of the stage
   */
  Added addStage(JobId id, StageSpec spec, Cause cause);

  /**
   * Adds tasks to a stage of an open job that does not run yet; they can be claimed from then on.
   * No tasks at all close an empty stage: it completes when its turn comes.
   *
   * @return with the number of the first of them
   */
  Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause);

  /** Another priority, for a job that has not ended; it counts for the next claim. */
  Outcome prioritize(JobId id, Priority priority, Cause cause);

  /**
   * Replaces the metadata of the job ({@code stage} 0), of a stage ({@code task} 0) or of a task,
   * whatever its state.
   */
  Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause);

  /** Deletes a job that has ended. */
  Outcome delete(JobId id);

  /**
   * What became of an addition.
   *
   * @param first the number that the first of what was added has; 0 unless {@code answer} is done
   */
  record Added(Outcome outcome, int first) {}

  /**
   * Deletes jobs that ended before {@code before} in one of the final {@code states}. Nothing but
   * this and {@link #delete} ever deletes a job.
   *
   * @return how many
   */
  int prune(Instant before, Set<JobState> states);
}
