package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.store.ConcurrentUpdateException;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
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
  private static final int LANES = 3;

  private static final int MOST_CHANGES = 200;
  private static final String DEADLOCK = "40P01";

  /** In the order of their keys: the statement changes jobs that end after all others. */
  private static final String LOCK =
      "SELECT key FROM @jobs WHERE key = ANY (?) ORDER BY key FOR UPDATE";

  private final Database database;
  private final JournalRows journals;
  private final CommitFlusher flusher;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Queue<Waiting> queue = new ArrayDeque<>(); // guarded by the lock
  private final Queue<Lane> lanes = new ArrayDeque<>(); // that are free

  JobWriter(Database database, JournalRows journals, CommitFlusher flusher) {
    this.database = database;
    this.journals = journals;
    this.flusher = flusher;
    for (int id = 1; id <= LANES; id++) {
      lanes.add(new Lane(id));
    }
  }

  /** Transactions that follow each other, so that other servers can read them in their order. */
  private static final class Lane {
    private final int id;
    private long last;

    Lane(int id) {
      this.id = id;
    }
  }

  /**
   * What became of a change.
   *
   * @param number of its commit; 0: somebody else has changed the job
   * @param incarnation of the database that has it
   */
  record Commit(long number, long incarnation) {
    static final Commit NONE = new Commit(0, 0);

    boolean isDone() {
      return number > 0;
    }
  }

  /** A change whose thread waits until it is written, or cannot be. */
  private static final class Waiting {
    private final JobChange change;
    private boolean done; // guarded by the lock, as all that follows
    private Commit commit = Commit.NONE;
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
  Commit append(JobChange change) {
    Waiting own = new Waiting(change);
    lock.lock();
    try {
      queue.add(own);
      while (!own.done) {
        if (!lanes.isEmpty() && !queue.isEmpty()) {
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
    Lane lane = lanes.remove();
    lock.unlock();
    List<Commit> commits = List.of();
    Throwable problem = null;
    try {
      commits = append(some.stream().map(waiting -> waiting.change).toList(), lane);
    } catch (RuntimeException | Error e) {
      problem = e;
    } finally {
      lock.lock();
      lanes.add(lane);
      for (int i = 0; i < some.size(); i++) {
        done(some.get(i), problem == null ? commits.get(i) : Commit.NONE, problem);
      }
      ended.signalAll();
    }
  }

  private static void done(Waiting waiting, Commit commit, @Nullable Throwable problem) {
    waiting.done = true;
    waiting.commit = commit;
    waiting.problem = problem == null && !commit.isDone() ? conflict(waiting.change) : problem;
  }

  private static ConcurrentUpdateException conflict(JobChange change) {
    return new ConcurrentUpdateException("job " + change.job().id() + " was changed");
  }

  /**
   * Writes changes of different jobs in one transaction, when there is a lane for it.
   *
   * @return the commit of each
   */
  List<Commit> appendAll(List<JobChange> changes) {
    Lane lane;
    lock.lock();
    try {
      while (lanes.isEmpty()) {
        ended.awaitUninterruptibly();
      }
      lane = lanes.remove();
    } finally {
      lock.unlock();
    }
    try {
      return append(changes, lane);
    } finally {
      lock.lock();
      try {
        lanes.add(lane);
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private List<Commit> append(List<JobChange> changes, Lane lane) {
    Commit commit = write(changes, lane);
    List<Commit> commits = new ArrayList<>();
    if (commit.isDone()) {
      changes.forEach(JobChange::written);
      changes.forEach(_ -> commits.add(commit));
    } else if (changes.size() == 1) {
      commits.add(commit);
    } else { // seldom: servers look at different jobs
      changes.forEach(change -> commits.addAll(append(List.of(change), lane)));
    }
    return commits;
  }

  /** Returns {@link Commit#NONE} if not all jobs had the version that was read. */
  private Commit write(List<JobChange> all, Lane lane) {
    List<JobChange> changes = new ArrayList<>(all);
    changes.sort(Comparator.comparingLong(JobChange::key)); // the order in which rows are locked
    long rank = workRank(changes);
    if (changes.stream().noneMatch(JobChange::isAwaited)) {
      long incarnation = run(AppendStatement.of(changes, journals), changes);
      return incarnation < 0
          ? Commit.NONE
          : new Commit(flusher.committed(ids(changes), rank, incarnation), incarnation);
    }
    long before = flusher.lastCommit();
    String[] ids = ids(changes).stream().map(JobId::value).toArray(String[]::new);
    StatementBuilder statement =
        AppendStatement.durable(
            changes,
            journals,
            flusher.told(lane.id, ++lane.last, ids, rank),
            flusher.notification());
    long incarnation = run(statement, changes);
    return incarnation < 0
        ? Commit.NONE
        : new Commit(flusher.synced(before, incarnation), incarnation);
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

  /** Returns the incarnation of the database; -1 if not all was written, and so nothing. */
  private long run(StatementBuilder statement, List<JobChange> changes) {
    try {
      return database.inTransaction(
          statements -> {
            if (changes.stream().anyMatch(JobChange::ends)
                && !changes.stream().allMatch(JobChange::ends)) {
              statements.list(LOCK, row -> true, (Object) Columns.numbers(changes, JobChange::key));
            }
            Written written =
                statements
                    .list(
                        statement.text(),
                        row -> new Written(row.getLong("written"), row.getLong("incarnation")),
                        statement.values())
                    .getFirst();
            if (written.rows() == 2L * changes.size()) { // of each job, and of its log
              return written.incarnation();
            }
            statements.takeBack();
            return -1L;
          });
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause && DEADLOCK.equals(cause.getSQLState())) {
        return -1L; // another server changes the same jobs
      }
      throw e;
    }
  }
}
