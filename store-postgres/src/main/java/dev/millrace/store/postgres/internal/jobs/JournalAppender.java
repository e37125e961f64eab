package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import dev.millrace.store.postgres.internal.rows.JournalRows.Appended;
import java.util.List;
import java.util.Set;

/**
 * Appends rows to the journals of many jobs at once. They are committed without waiting for the
 * disk, so a crash of the database may take the last ones; so a row is inserted only if there was
 * no crash since those before it were.
 */
final class JournalAppender {
  private final JournalRows rows;
  private final ServerLease server;
  private final CommitFlusher flusher;

  JournalAppender(JournalRows rows, ServerLease server, CommitFlusher flusher) {
    this.rows = rows;
    this.server = server;
    this.flusher = flusher;
  }

  /** The database as it has run without a crash, as far as this server knows. */
  long incarnation() {
    return flusher.incarnation();
  }

  boolean isDurable(JobJournal.Written row) {
    return row.commit() <= flusher.lastDurable() // first: a crash changes the incarnation first
        && row.incarnation() == flusher.incarnation();
  }

  /**
   * What was appended.
   *
   * @param commit after which it is durable
   * @param jobs that this server still has tasks of
   */
  record Commit(long commit, Set<JobId> jobs) {}

  /**
   * Appends rows under an incarnation. Of claims that are over, nothing is inserted.
   *
   * @throws StoreException if nothing was inserted, or that is not known: then call it with the same
   *     rows again
   */
  Commit append(List<JournalRow> some, long incarnation) {
    server.requireAlive(); // else another one may have the tasks, and its output counts
    rows.number(some);
    Appended answer = rows.append(some);
    long commit = flusher.committed(List.of(), CommitFlusher.NO_WORK, answer.incarnation());
    if (answer.incarnation() != incarnation) {
      flush(commit); // which learns the new one
      throw new StoreException(
          "the database has crashed, and journals are written again", null, Trouble.FAILING);
    }
    return new Commit(commit, answer.jobs());
  }

  /** Makes durable what was committed until then, if there was no crash. */
  void flush(long commit) {
    try {
      flusher.await(commit);
    } catch (StoreException e) {
      // the rows are remembered, and what was lost is appended again
    }
  }
}
