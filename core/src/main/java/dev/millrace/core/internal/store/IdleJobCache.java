package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Caches recently used jobs of which no worker has a task. The index and what is stored hold all
 * their state; the cache is useful because a process that adds to a job mostly adds more, and a job
 * whose tasks run one by one is idle between them. Bounded by number and by memory: a client can
 * submit many jobs, and large ones. Thread-safe.
 *
 * @param <J> a job as its repository loads it
 */
public final class IdleJobCache<J extends StoredJob> {
  /** How many stay in memory. */
  public static final int MOST = 1_000;

  /** About how many bytes stay in memory; the last job does, whatever its size. */
  static final long MOST_BYTES = Math.min(64_000_000, Runtime.getRuntime().maxMemory() / 4);

  private record Kept<J>(J job, long bytes) {}

  private final LoadedJobs<J> jobs;
  private final JobRepository<J> repository;
  private final SequencedMap<JobId, Kept<J>> lately = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes; // guarded by that map

  IdleJobCache(LoadedJobs<J> jobs, JobRepository<J> repository) {
    this.jobs = jobs;
    this.repository = repository;
  }

  /** Adds an idle job that is in the index, if it has something to claim; its lock is held. */
  void add(J job) {
    put(new Kept<>(job, job.memory()));
    int busy = 0;
    while (busy < 2) { // one that is in use has to stay a while longer
      Kept<J> eldest = takeEldest(job);
      if (eldest == null) {
        return;
      }
      if (!letGo(eldest.job())) {
        put(eldest);
        busy++;
      }
    }
  }

  private void put(Kept<J> kept) {
    synchronized (lately) {
      Kept<J> before = lately.put(kept.job().id(), kept);
      bytes += kept.bytes() - (before == null ? 0 : before.bytes());
    }
  }

  /** Takes out the job that was used least recently, if there are too many beside this one. */
  private @Nullable Kept<J> takeEldest(J last) {
    synchronized (lately) {
      if (lately.size() <= MOST && bytes <= MOST_BYTES
          || lately.firstEntry().getValue().job() == last) {
        return null;
      }
      Kept<J> eldest = lately.pollFirstEntry().getValue();
      bytes -= eldest.bytes();
      return eldest;
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
      if (job.isForgotten() || !job.isIdle()) {
        return true; // a worker has a task of it, or it is gone
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
