package dev.millrace.server.internal;

import dev.millrace.core.job.JobId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The jobs that must not wait for a free slot, with the type of the task that is to start, in the
 * order in which they came. Thread-safe.
 */
public final class UrgentJobs {
  private final Map<JobId, String> types = new LinkedHashMap<>(); // guarded by this

  public synchronized void add(JobId job, String type) {
    types.put(job, type);
  }

  /** Those with a task of one of these types. */
  public synchronized List<JobId> of(Set<String> ready) {
    List<JobId> jobs = new ArrayList<>();
    types.forEach(
        (job, type) -> {
          if (ready.contains(type)) {
            jobs.add(job);
          }
        });
    return jobs;
  }

  public synchronized void remove(JobId job) {
    types.remove(job);
  }

  public synchronized boolean isEmpty() {
    return types.isEmpty();
  }
}
