package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import java.util.LinkedHashSet;
import java.util.Set;

/** What some steps changed: the commit that makes it durable, and who must be notified then. */
final class StepBatch {
  private final Set<JobId> stopped = new LinkedHashSet<>();
  private final Set<JobId> changed = new LinkedHashSet<>();
  private long commit;

  void addCommit(long number) {
    commit = Math.max(commit, number);
  }

  /** The commit after which all of it is durable. */
  long commit() {
    return commit;
  }

  /** Jobs whose running tasks must be notified. */
  Set<JobId> stopped() {
    return stopped;
  }

  /** Jobs whose logs or states changed. */
  Set<JobId> changed() {
    return changed;
  }
}
