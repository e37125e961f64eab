package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.jobs.UnflushedRows.Written;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import dev.millrace.store.postgres.internal.rows.JournalRows.Appended;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Appends to journals without gaps. Rows are committed without waiting for the disk, so a crash of
 * the database may take some of them. A row is appended only if there was no crash since those
 * before it were; after one, all that no flush had followed are appended again, first. One thread at
 * a time calls {@link #append}; any thread may call the rest.
 */
final class JournalAppender {
  /** Between two flushes, if nobody else causes one: so long rows are remembered. */
  private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final JournalRows rows;
  private final ServerLease server;
  private final long epoch;
  private final CommitFlusher flusher;
  private final UnflushedRows unflushed;
  private volatile long incarnation; // of the database that has all rows up to now
  private long flushedNanos = System.nanoTime(); // of the appending thread

  /**
   * @param epoch of this server's claims
   */
  JournalAppender(JournalRows rows, ServerLease server, long epoch, CommitFlusher flusher) {
    this.rows = rows;
    this.server = server;
    this.epoch = epoch;
    this.flusher = flusher;
    this.unflushed = new UnflushedRows(flusher);
    this.incarnation = flusher.incarnation();
  }

  /**
   * Appends rows.
   *
   * @return the jobs that this server still has tasks of
   * @throws StoreException if nothing was appended, or that is not known: then call it with the same
   *     rows again
   */
  Set<JobId> append(List<JournalRow> some) {
    server.requireAlive(); // else another one may have the tasks, and its output counts
    long present = flusher.incarnation();
    List<Written> again = unflushed.before(present);
    List<JournalRow> all = new ArrayList<>();
    again.forEach(each -> all.addAll(each.rows()));
    all.addAll(some);
    rows.number(some);
    all.forEach(row -> row.under(present));
    Appended answer = rows.append(all, epoch);
    long commit = flusher.committed(List.of(), CommitFlusher.NO_WORK, answer.incarnation());
    if (answer.incarnation() != present) {
      flush(commit); // which learns the new one
      throw new StoreException(
          "the database has crashed, and journals are written again", null, Trouble.FAILING);
    }
    unflushed.remove(again);
    unflushed.add(commit, present, all);
    incarnation = present;
    flushIfDue();
    return answer.jobs();
  }

  private void flushIfDue() {
    if (System.nanoTime() - flushedNanos > FLUSH_NANOS) {
      flush(unflushed.lastCommit());
      flushedNanos = System.nanoTime();
    }
  }

  private void flush(long commit) {
    try {
      flusher.await(commit);
    } catch (StoreException e) {
      // the rows are remembered, and what was lost is appended again
    }
  }

  /** Call before rows become part of another statement, which leaves them out after a crash. */
  void begin(List<JournalRow> some) {
    long present = incarnation;
    some.forEach(row -> row.under(present));
  }

  /** They were part of a statement of that commit. */
  void end(long commit, List<JournalRow> some) {
    if (!some.isEmpty()) {
      unflushed.add(commit, some.getFirst().incarnation(), some);
    }
  }
}
