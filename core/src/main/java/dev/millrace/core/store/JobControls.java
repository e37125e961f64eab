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
  /**
   * Carries out a lever. Two concurrent additions get two numbers. A request that was carried out
   * before, recognized by {@link Cause#op}, is done again without effect.
   *
   * @return {@link Outcome.Done} with the number of the first thing added, or why not
   */
  Outcome apply(JobId id, Lever lever, Cause cause);

  /**
   * Deletes jobs that ended before {@code before} in one of the final {@code states}. Only this and
   * {@link Lever.Delete} delete jobs.
   *
   * @return how many were deleted
   */
  int prune(Instant before, Set<JobState> states);

  /** As {@link Lever.Pause}. */
  default Outcome pause(JobId id, Cause cause) {
    return apply(id, new Lever.Pause(), cause);
  }

  /** As {@link Lever.Resume}. */
  default Outcome resume(JobId id, Cause cause) {
    return apply(id, new Lever.Resume(), cause);
  }

  /** As {@link Lever.Abort}. */
  default Outcome abort(JobId id, Cause cause) {
    return apply(id, new Lever.Abort(), cause);
  }

  /** As {@link Lever.Approve}. */
  default Outcome approve(JobId id, int stage, Cause cause) {
    return apply(id, new Lever.Approve(stage), cause);
  }

  /** As {@link Lever.Hold}. */
  default Outcome hold(JobId id, int stage, Cause cause) {
    return apply(id, new Lever.Hold(stage), cause);
  }

  /** As {@link Lever.AddStage}. */
  default Added addStage(JobId id, StageSpec spec, Cause cause) {
    return Added.of(apply(id, new Lever.AddStage(spec), cause));
  }

  /** As {@link Lever.AddTasks}. */
  default Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return Added.of(apply(id, new Lever.AddTasks(stage, tasks), cause));
  }

  /** As {@link Lever.Prioritize}. */
  default Outcome prioritize(JobId id, Priority priority, Cause cause) {
    return apply(id, new Lever.Prioritize(priority), cause);
  }

  /** As {@link Lever.Describe}. */
  default Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return apply(id, new Lever.Describe(stage, task, metadata), cause);
  }

  /** As {@link Lever.Delete}. */
  default Outcome delete(JobId id) {
    return apply(id, new Lever.Delete(), Cause.user(null, null));
  }

  /**
   * The outcome of an addition.
   *
   * @param first the number of the first thing added; 0 unless {@code outcome} is done
   */
  record Added(Outcome outcome, int first) {
    static Added of(Outcome outcome) {
      return outcome instanceof Outcome.Done(int first)
          ? new Added(Outcome.DONE, first)
          : new Added(outcome, 0);
    }
  }
}
