package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.store.ConcurrentUpdateException;
import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the logs of jobs, with all that follows from it. A job is changed only if it has the
 * version that was read. Threads that append at the same time share a transaction: the next thread
 * that finds a free place writes for all that wait. Thread-safe.
 */
final class JobWriter {
  /** Transactions that are under way at once: others gather meanwhile. */
  private static final int MOST_TRANSACTIONS = 2;

  private static final int MOST_CHANGES = 200;

  private final Database database;
  private final JournalRows journals;
  private final CommitFlusher flusher;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Queue<Waiting> queue = new ArrayDeque<>(); // guarded by the lock
  private int transactions;

  JobWriter(Database database, JournalRows journals, CommitFlusher flusher) {
    this.database = database;
    this.journals = journals;
    this.flusher = flusher;
  }

  /** A change whose thread waits until it is written, or cannot be. */
  private static final class Waiting {
    private final JobChange change;
    private boolean done; // guarded by the lock, as all that follows
    private long commit;
    private @Nullable Throwable problem;

    Waiting(JobChange change) {
      this.change = change;
    }
  }

  /**
   * Writes a change.
   *
   * @return its commit
   * @throws ConcurrentUpdateException if somebody else has changed the job
   */
  long append(JobChange change) {
    Waiting own = new Waiting(change);
    lock.lock();
    try {
      queue.add(own);
      while (!own.done) {
        if (transactions < MOST_TRANSACTIONS && !queue.isEmpty()) {
          writeWaiting();
        } else {
          ended.awaitUninterruptibly();
        }
      }
    } finally {
      lock.unlock();
    }
    if (own.problem instanceof RuntimeException e) {
      throw e;
    } else if (own.problem instanceof Error e) {
      throw e;
    }
    return own.commit;
  }

  /** Writes what waits, mostly with the change of this thread, without the lock. */
  private void writeWaiting() {
    List<Waiting> some = new ArrayList<>();
    while (some.size() < MOST_CHANGES && !queue.isEmpty()) {
      some.add(queue.remove());
    }
    transactions++;
    lock.unlock();
    List<Long> commits = List.of();
    Throwable problem = null;
    try {
      commits = appendAll(some.stream().map(waiting -> waiting.change).toList());
    } catch (RuntimeException | Error e) {
      problem = e;
    } finally {
      lock.lock();
      transactions--;
      for (int i = 0; i < some.size(); i++) {
        done(some.get(i), problem == null ? commits.get(i) : 0, problem);
      }
      ended.signalAll();
    }
  }

  private static void done(Waiting waiting, long commit, @Nullable Throwable problem) {
    waiting.done = true;
    waiting.commit = commit;
    waiting.problem = problem == null && commit == 0 ? conflict(waiting.change) : problem;
  }

  private static ConcurrentUpdateException conflict(JobChange change) {
    return new ConcurrentUpdateException("job " + change.job().id() + " was changed");
  }

  /**
   * Writes changes of different jobs in one transaction.
   *
   * @return the commit of each; 0 for a job that somebody else has changed
   */
  List<Long> appendAll(List<JobChange> changes) {
    long incarnation = write(changes);
    List<Long> commits = new ArrayList<>();
    if (incarnation >= 0) {
      changes.forEach(JobChange::written);
      long commit = flusher.committed(ids(changes), workRank(changes), incarnation);
      changes.forEach(_ -> commits.add(commit));
    } else if (changes.size() == 1) {
      commits.add(0L);
    } else { // seldom: servers look at different jobs
      changes.forEach(change -> commits.addAll(appendAll(List.of(change))));
    }
    return commits;
  }

  private static List<JobId> ids(List<JobChange> changes) {
    return changes.stream().map(change -> change.job().id()).toList();
  }

  private static long workRank(List<JobChange> changes) {
    long first = CommitFlusher.NO_WORK;
    for (JobChange change : changes) {
      first = change.enqueued() ? Math.min(first, change.columns().rank()) : first;
    }
    return first;
  }

  private record Written(long rows, long incarnation) {}

  /** Returns the incarnation of the database; -1 if not all jobs had the version that was read. */
  private long write(List<JobChange> changes) {
    StatementBuilder statement = AppendStatement.of(changes, journals);
    return database.inTransaction(
        statements -> {
          Written written =
              statements
                  .list(
                      statement.text(),
                      row -> new Written(row.getLong("written"), row.getLong("incarnation")),
                      statement.values())
                  .getFirst();
          if (written.rows() == 2L * changes.size()) { // of the job and of its log
            return written.incarnation();
          }
          statements.takeBack();
          return -1L;
        });
  }
}
