package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The jobs in memory: those of which a worker has a task, and others while they are needed. Thread-safe.
 *
 * @param <J> a job as its repository loads it
 */
public final class LoadedJobs<J extends StoredJob> {
  /** Reads a job and completes what a crash left unfinished. */
  interface Loader<J> {
    @Nullable J load(JobId id, StepBatch batch);
  }

  private final JobRepository<J> repository;
  private final Loader<J> loader;
  private final ConcurrentHashMap<JobId, J> jobs = new ConcurrentHashMap<>();
  private final Set<JobId> interrupted = ConcurrentHashMap.newKeySet();
  private final AtomicLong failures = new AtomicLong();

  /** The commits of jobs that were dropped before what is stored of them was durable. */
  private final Map<JobId, Long> dropped = new ConcurrentHashMap<>();

  /** Held while a job is read, so that it is read once. */
  private final List<ReentrantLock> loading;

  LoadedJobs(JobRepository<J> repository, Loader<J> loader) {
    this.repository = repository;
    this.loader = loader;
    this.loading = repository.threading().newLocks(64);
  }

  public Collection<J> all() {
    return jobs.values();
  }

  public boolean contains(JobId id) {
    return jobs.containsKey(id);
  }

  /** The job if it is in memory. */
  public @Nullable J get(JobId id) {
    return jobs.get(id);
  }

  /** Jobs for which a write failed: they may have to be finished. */
  Set<JobId> interrupted() {
    return interrupted;
  }

  /** Drops a job; call it with its lock held. */
  void forget(J job) {
    if (job.commit() > repository.lastDurable()) {
      dropped.merge(job.id(), job.commit(), Math::max);
    }
    job.forget(); // only now: one that is forgotten, but found again, would be looked up for ever
    jobs.remove(job.id(), job);
  }

  /** Drops a job that may be ahead of its log, because a write failed. */
  void markInterrupted(J job) {
    markInterrupted(job.id()); // first: who finds it dropped must know why
    forget(job);
  }

  /** What is stored of a job may not be durable, or may be taken back, because a write failed. */
  void markInterrupted(JobId id) {
    interrupted.add(id);
    failures.incrementAndGet();
  }

  /** How many writes have failed: what was read of the stored jobs meanwhile may not count. */
  public long failures() {
    return failures.get();
  }

  /** Repairs what is stored of a job. */
  @FunctionalInterface
  public interface Repair {
    void run(JobId id) throws IOException;
  }

  /** Repairs a job that a failed write has dropped, unless it was read into memory since. */
  public void repairIfInterrupted(JobId id, Repair repair) throws IOException {
    if (interrupted.contains(id)) {
      ReentrantLock alone = loading(id);
      alone.lock();
      try {
        if (interrupted.contains(id) && !jobs.containsKey(id)) {
          repair.run(id);
        }
      } finally {
        alone.unlock();
      }
    }
  }

  private ReentrantLock loading(JobId id) {
    return loading.get(Math.floorMod(id.hashCode(), loading.size()));
  }

  /** The commit after which everything is durable that was stored of a job before it was dropped. */
  long lastCommit(JobId id) {
    return dropped.getOrDefault(id, 0L);
  }

  /** The job in memory, read if necessary; null if it does not exist. */
  @Nullable J find(JobId id, StepBatch batch) {
    J job = jobs.get(id);
    if (job != null) {
      return job;
    }
    ReentrantLock alone = loading(id);
    alone.lock();
    try {
      job = jobs.get(id);
      if (job == null) {
        job = loader.load(id, batch);
        if (job != null) {
          jobs.put(id, job);
        }
        interrupted.remove(id);
      }
      return job;
    } finally {
      alone.unlock();
    }
  }

  /** Reads something of a job, with its lock held. */
  @FunctionalInterface
  public interface JobRead<J, T> {
    /** Empty if it has moved: then read what is stored. */
    Optional<T> at(J job) throws IOException;
  }

  /**
   * Reads a job in memory, and returns only when what was read is durable.
   *
   * @return empty if it is not in memory: then read what is stored
   */
  public <T> Optional<T> readIfLoaded(JobId id, JobRead<J, T> read) throws IOException {
    J job = jobs.get(id);
    if (job == null) {
      return Optional.empty();
    }
    Optional<T> answer;
    long commit;
    job.lock.lock();
    try {
      if (job.isForgotten()) {
        return Optional.empty();
      }
      answer = read.at(job);
      commit = job.commit();
    } finally {
      job.lock.unlock();
    }
    repository.awaitDurable(commit);
    return answer;
  }

  /** Drops the job if that is true of it, with its lock held. */
  public void forgetIf(JobId id, JobRead<J, Boolean> condition) throws IOException {
    J job = jobs.get(id);
    if (job != null) {
      job.lock.lock();
      try {
        if (condition.at(job).orElse(false)) {
          forget(job);
        }
      } finally {
        job.lock.unlock();
      }
    }
  }

  /** Returns when everything that is stored of a job by now is durable. */
  public void awaitDurable(JobId id) {
    J job = jobs.get(id);
    if (job != null) { // it was read into memory after the caller looked
      job.lock.lock();
      long now;
      try {
        now = job.commit();
      } finally {
        job.lock.unlock();
      }
      repository.awaitDurable(now);
    }
    Long commit = dropped.get(id);
    if (commit != null) {
      repository.awaitDurable(commit);
      dropped.remove(id, commit);
    }
  }

  /** Forgets what is durable by now. */
  void forgetDurable() {
    long durable = repository.lastDurable();
    dropped.values().removeIf(commit -> commit <= durable);
  }
}
