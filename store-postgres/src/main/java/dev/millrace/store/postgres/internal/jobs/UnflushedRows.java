package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of journals that a crash of the database may still take, because no flush has followed them.
 * They are kept so that they can be written again before any row behind them. Thread-safe.
 */
final class UnflushedRows {
  private final CommitFlusher flusher;
  private final List<Written> all = new ArrayList<>(); // guarded by this

  /**
   * Rows that were written.
   *
   * @param commit that makes them durable
   * @param incarnation of the database under which they were written, or would have been
   */
  record Written(long commit, long incarnation, List<JournalRow> rows) {}

  UnflushedRows(CommitFlusher flusher) {
    this.flusher = flusher;
  }

  synchronized void add(long commit, long incarnation, List<JournalRow> rows) {
    if (!rows.isEmpty()) {
      forgetDurable();
      all.add(new Written(commit, incarnation, List.copyOf(rows)));
    }
  }

  /** A flush that follows a crash is one of another incarnation, and says nothing of these. */
  private void forgetDurable() {
    long durable = flusher.lastDurable();
    long incarnation = flusher.incarnation(); // after the number, which is set later
    all.removeIf(each -> each.commit <= durable && each.incarnation == incarnation);
  }

  /** What was not written under that incarnation, in its order. */
  synchronized List<Written> before(long incarnation) {
    forgetDurable();
    return all.stream().filter(each -> each.incarnation != incarnation).toList();
  }

  /** They were written again. */
  synchronized void remove(List<Written> again) {
    all.removeAll(again);
  }

  /** The last commit that has to be flushed; 0: none. */
  synchronized long lastCommit() {
    forgetDurable();
    return all.isEmpty() ? 0 : all.getLast().commit;
  }
}
