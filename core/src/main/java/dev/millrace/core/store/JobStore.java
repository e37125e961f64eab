package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.health.StoreHealth;
import dev.millrace.core.store.stats.StatusCounts;
import java.util.function.Consumer;

/**
 * Stores jobs. The same contract holds for a directory with one owner and for a database with many
 * servers; the test kit {@code StoreContract} in this module defines it.
 */
public interface JobStore
    extends JobSubmitter, JobReader, JobControls, TaskQueue, NoteStore, AutoCloseable {

  /**
   * Calls {@code watcher} with each job whose log grew or whose state changed, as soon as the
   * change is durable. Several changes may come as one call. No change is left out, except one that
   * another process made just before a crash. The call is on the thread that made the change: it
   * must return quickly and must not throw.
   */
  Subscription onChange(Consumer<JobId> watcher);

  /**
   * How many jobs, stages and tasks are in each state, without reading any: the counts are kept.
   * The first call starts to count and to read, in the background, the jobs that exist. What
   * another process changes counts as soon as this store learns of it.
   */
  StatusCounts statusCounts();

  /** Whether it can keep what it is given; asks nothing of the disk that takes time. */
  default StoreHealth health() {
    return StoreHealth.GOOD;
  }

  /**
   * Takes part in the election of the process that does what only one of those that share the jobs
   * should do, such as calling webhooks. Ask only where this process can do it.
   *
   * @param duty what the leader does; those who ask for the same compete
   */
  default LeaderLease leaderLease(String duty) {
    return LeaderLease.ALONE;
  }

  /**
   * Whether other processes run tasks of the same jobs: then {@link #onWork} does not tell of all
   * output, and who follows it looks again now and then.
   */
  default boolean isShared() {
    return false;
  }

  /**
   * How many jobs cannot be read, as far as this process knows without waiting for anything: anyone
   * may ask, as often as they like.
   */
  default long unreadableJobs() {
    return statusCounts().unreadable();
  }

  /** What kind of store it is, in a word for people, such as {@code workspace}. */
  default String kind() {
    return "other";
  }

  /** Reports claims, answers, signals and sweeps of this store to {@code listener}. */
  Subscription onWork(WorkListener listener);

  /**
   * Waits for the calls under way and releases everything; every later call that would write is a
   * {@link StoreException.Closed}. The next owner recovers claims that were not answered; claims with a lease
   * stay with their workers.
   */
  @Override
  void close();
}
