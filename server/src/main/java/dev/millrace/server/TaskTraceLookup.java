package dev.millrace.server;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.TraceContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the trace of a task: its own, else its stage's, else its job's, which always has one. */
public final class TaskTraceLookup {
  private TaskTraceLookup() {}

  /** Null if the job was deleted. Reads the job unless the task has its own. */
  public static @Nullable TraceContext of(JobReader store, Claim claim) {
    TraceContext own = claim.view().trace();
    if (own != null && own.isStarted()) {
      return own;
    }
    Optional<JobView> job = store.find(claim.job());
    if (job.isEmpty()) {
      return null;
    }
    TraceContext stage = job.get().stages().get(claim.key().stage() - 1).spec().trace();
    return stage == null || !stage.isStarted() ? job.get().header().effectiveTrace() : stage;
  }
}
