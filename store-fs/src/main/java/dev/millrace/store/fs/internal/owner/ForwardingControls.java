package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.read.ForwardingReader;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Forwards all levers to other controls. */
public abstract class ForwardingControls extends ForwardingReader implements JobControls {
  protected abstract JobControls controls();

  @Override
  public final Outcome pause(JobId id, Cause cause) {
    return controls().pause(id, cause);
  }

  @Override
  public final Outcome resume(JobId id, Cause cause) {
    return controls().resume(id, cause);
  }

  @Override
  public final Outcome abort(JobId id, Cause cause) {
    return controls().abort(id, cause);
  }

  @Override
  public final Outcome approve(JobId id, int stage, Cause cause) {
    return controls().approve(id, stage, cause);
  }

  @Override
  public final Outcome hold(JobId id, int stage, Cause cause) {
    return controls().hold(id, stage, cause);
  }

  @Override
  public final Added addStage(JobId id, StageSpec spec, Cause cause) {
    return controls().addStage(id, spec, cause);
  }

  @Override
  public final Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return controls().addTasks(id, stage, tasks, cause);
  }

  @Override
  public final Outcome prioritize(JobId id, Priority priority, Cause cause) {
    return controls().prioritize(id, priority, cause);
  }

  @Override
  public final Outcome replaceMetadata(
      JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return controls().replaceMetadata(id, stage, task, metadata, cause);
  }

  @Override
  public final Outcome delete(JobId id) {
    return controls().delete(id);
  }

  @Override
  public final int prune(Instant before, Set<JobState> states) {
    return controls().prune(before, states);
  }
}
