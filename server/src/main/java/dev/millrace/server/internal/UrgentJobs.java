package dev.millrace.server.internal;

import dev.millrace.core.job.JobId;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The jobs that must not wait for a free slot, in the order in which they came. Thread-safe. */
public final class UrgentJobs {
  private final Set<JobId> jobs = new LinkedHashSet<>(); // guarded by this

  public synchronized void add(JobId job) {
    jobs.add(job);
  }

  /** The first one, which stays in the list; null if there is none. */
  public synchronized @Nullable JobId first() {
    return jobs.isEmpty() ? null : jobs.iterator().next();
  }

  public synchronized void remove(JobId job) {
    jobs.remove(job);
  }
}
