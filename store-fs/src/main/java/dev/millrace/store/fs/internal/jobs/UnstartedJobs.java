package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Jobs in memory that have not begun. The queue and their files know all of them, so only those
 * stay that somebody had to do with of late: who adds to a job mostly adds more. Thread-safe.
 */
final class UnstartedJobs {
  /** How many stay. */
  static final int MOST = 1_000;

  private final ActiveJobs jobs;
  private final ClaimQueue queue;
  private final GroupCommit commits;
  private final SequencedMap<JobId, ActiveJob> lately = new LinkedHashMap<>(16, 0.75f, true);

  UnstartedJobs(ActiveJobs jobs, ClaimQueue queue, GroupCommit commits) {
    this.jobs = jobs;
    this.queue = queue;
    this.commits = commits;
  }

  /** A job that waits and is in the queue; called with its lock held. */
  void add(ActiveJob job) {
    synchronized (lately) {
      lately.put(job.id(), job);
    }
    // Two, since one that is in use has to stay a while longer.
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

  /** False if somebody uses it; never waits, for the caller holds another job. */
  private boolean letGo(ActiveJob job) {
    if (!job.lock.tryLock()) {
      return false;
    }
    try {
      if (job.isForgotten() || !job.isUnstarted()) {
        return true; // it has begun, or is gone: no longer ours
      }
      if (job.lastSync() > commits.lastSync()) {
        return false; // who reads its files would tell what is not durable
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
