package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Controls;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Pulls what another can pull. */
abstract class LeverThrough extends ReadThrough implements Controls {
  abstract Controls levers();

  @Override
  public final Answer pause(JobId id, Cause cause) {
    return levers().pause(id, cause);
  }

  @Override
  public final Answer resume(JobId id, Cause cause) {
    return levers().resume(id, cause);
  }

  @Override
  public final Answer abort(JobId id, Cause cause) {
    return levers().abort(id, cause);
  }

  @Override
  public final Answer approve(JobId id, int stage, Cause cause) {
    return levers().approve(id, stage, cause);
  }

  @Override
  public final Answer hold(JobId id, int stage, Cause cause) {
    return levers().hold(id, stage, cause);
  }

  @Override
  public final Added addStage(JobId id, StageSpec spec, Cause cause) {
    return levers().addStage(id, spec, cause);
  }

  @Override
  public final Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return levers().addTasks(id, stage, tasks, cause);
  }

  @Override
  public final Answer prioritize(JobId id, Priority priority, Cause cause) {
    return levers().prioritize(id, priority, cause);
  }

  @Override
  public final Answer describe(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return levers().describe(id, stage, task, metadata, cause);
  }

  @Override
  public final Answer delete(JobId id) {
    return levers().delete(id);
  }

  @Override
  public final int prune(Instant before, Set<JobState> states) {
    return levers().prune(before, states);
  }
}
