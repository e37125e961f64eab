package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Caches recently used jobs that have not started. The queue and their files hold all their state;
 * the cache is useful because a process that adds to a job mostly adds more. Thread-safe.
 */
final class UnstartedJobCache {
  /** How many stay in memory. */
  static final int MOST = 1_000;

  private final ActiveJobs jobs;
  private final ClaimQueue queue;
  private final GroupCommit commits;
  private final SequencedMap<JobId, ActiveJob> lately = new LinkedHashMap<>(16, 0.75f, true);

  UnstartedJobCache(ActiveJobs jobs, ClaimQueue queue, GroupCommit commits) {
    this.jobs = jobs;
    this.queue = queue;
    this.commits = commits;
  }

  /** Adds a waiting job that is in the queue; call it with its lock held. */
  void add(ActiveJob job) {
    synchronized (lately) {
      lately.put(job.id(), job);
    }
    // Two, because one that is in use has to stay a while longer.
    letGoEldest();
    letGoEldest();
  }

  private void letGoEldest() {
    ActiveJob eldest;
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
  private boolean letGo(ActiveJob job) {
    if (!job.lock.tryLock()) {
      return false;
    }
    try {
      if (job.isForgotten() || !job.isUnstarted()) {
        return true; // it has started, or is gone
      }
      if (job.lastSync() > commits.lastSync()) {
        return false; // a reader of its files would see what is not durable
      }
      Instant deadline = job.queueDeadline();
      if (deadline != null) {
        queue.expireAt(deadline, job.id());
      }
      jobs.forget(job);
      return true;
    } finally {
      job.lock.unlock();
    }
  }
}
