package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Caches recently used jobs that have not started. The index and what is stored hold all their
 * state; the cache is useful because a process that adds to a job mostly adds more. Thread-safe.
 *
 * @param <J> a job as its repository loads it
 */
public final class UnstartedJobCache<J extends StoredJob> {
  /** How many stay in memory. */
  public static final int MOST = 1_000;

  private final LoadedJobs<J> jobs;
  private final JobRepository<J> repository;
  private final SequencedMap<JobId, J> lately = new LinkedHashMap<>(16, 0.75f, true);

  UnstartedJobCache(LoadedJobs<J> jobs, JobRepository<J> repository) {
    this.jobs = jobs;
    this.repository = repository;
  }

  /** Adds a waiting job that is in the index; call it with its lock held. */
  void add(J job) {
    synchronized (lately) {
      lately.put(job.id(), job);
    }
    // Two, because one that is in use has to stay a while longer.
    letGoEldest();
    letGoEldest();
  }

  private void letGoEldest() {
    @Nullable J eldest;
    synchronized (lately) {
      eldest = lately.size() <= MOST ? null : lately.pollFirstEntry().getValue();
    }
    if (eldest != null && !letGo(eldest)) {
      synchronized (lately) {
        lately.putIfAbsent(eldest.id(), eldest);
      }
    }
  }

  /**
   * Drops a job; false if another thread uses it. Never waits, because the caller holds another
   * job's lock.
   */
  private boolean letGo(J job) {
    if (!job.lock.tryLock()) {
      return false;
    }
    try {
      if (job.isForgotten() || !job.isUnstarted()) {
        return true; // it has started, or is gone
      }
      if (job.commit() > repository.lastDurable()) {
        return false; // a reader of what is stored would see what is not durable
      }
      repository.letGo(job);
      jobs.forget(job);
      return true;
    } finally {
      job.lock.unlock();
    }
  }
}
