package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs may have tasks to claim, in claim order. It may name a job that has none; it must not
 * leave one out for long. Thread-safe.
 */
public interface ClaimIndex {
  /** A job that may have tasks to claim. */
  interface Candidate {
    JobId id();
  }

  /**
   * The next job in claim order that may have tasks of one of these types to claim.
   *
   * @param after continue after this one; null: from the first
   */
  @Nullable Candidate next(Set<String> types, @Nullable Candidate after);

  /**
   * As {@link #next(Set, Candidate)}, if about so many tasks are wanted: an index that several
   * processes share can offer as many jobs to one of them, and others to the next.
   */
  default @Nullable Candidate next(Set<String> types, @Nullable Candidate after, int wanted) {
    return next(types, after);
  }

  /** No more candidates are wanted after this one; others may have those behind it. */
  default void endRound(Candidate last) {}

  /** Takes out exactly this candidate, which turned out to have nothing to claim. */
  void drop(Candidate candidate);

  /** Puts in a job as it is now; called with its lock held. */
  void put(StoredJob job);

  /** Waits for something new to claim, as {@link dev.millrace.core.store.TaskQueue#awaitWork}. */
  long awaitWork(long seen, Duration atMost) throws InterruptedException;

  /** As {@link dev.millrace.core.store.TaskQueue#isIdle}. */
  boolean isIdle(Set<String> types);

  /**
   * Takes out the jobs in which something may be due that this process does not know: a queue
   * timeout of a job that is not in memory, or claims of a process that is gone.
   *
   * @param now steady time
   */
  Collection<JobId> takeOverdue(Instant now);

  /** Nothing was due in a job that {@link #takeOverdue} named; called with its lock held. */
  default void notDue(StoredJob job) {}

  /** Puts back a job whose timeouts could not be handled. */
  void keepOverdue(JobId id, Instant now);
}
