package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.store.postgres.internal.rows.JournalRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * The rows of one job's journals that a crash of the database may still take, in their order: those
 * that are written and not flushed, and those that wait to be written. Not thread-safe.
 */
final class JobJournal {
  private final Deque<Written> written = new ArrayDeque<>();
  private final List<JournalRow> waiting = new ArrayList<>();
  private boolean busy;

  /**
   * A row that was written.
   *
   * @param commit after which it is durable
   * @param incarnation of the database under which it was written
   */
  record Written(JournalRow row, long commit, long incarnation) {}

  void add(JournalRow row) {
    waiting.add(row);
  }

  boolean isWaiting() {
    return !busy && !waiting.isEmpty();
  }

  /** Whether its rows are being written: then nobody else may write any. */
  boolean isBusy() {
    return busy;
  }

  boolean isEmpty() {
    return !busy && waiting.isEmpty() && written.isEmpty();
  }

  /** The last commit that has to be flushed; 0: none. */
  long lastCommit() {
    return written.isEmpty() ? 0 : written.getLast().commit();
  }

  void forget(Predicate<Written> durable) {
    while (!written.isEmpty() && durable.test(written.getFirst())) {
      written.removeFirst();
    }
  }

  /**
   * What is to be written under an incarnation of the database: first what was written under another
   * one, and so may be lost. Until {@link #end}, it is busy.
   */
  List<JournalRow> begin(long incarnation) {
    List<JournalRow> rows = new ArrayList<>();
    for (Written each : written) {
      if (each.incarnation() != incarnation) {
        rows.add(each.row());
      }
    }
    rows.addAll(waiting);
    rows.forEach(row -> row.under(incarnation));
    busy = !rows.isEmpty();
    return rows;
  }

  /** Nothing was written, or nobody knows: the same rows are the next ones. */
  void end() {
    busy = false;
  }

  /** What {@link #begin} gave under that incarnation is written. */
  void end(int rows, long commit, long incarnation) {
    busy = false;
    List<JournalRow> again = new ArrayList<>();
    written.removeIf(each -> each.incarnation() != incarnation && again.add(each.row()));
    List<JournalRow> first = waiting.subList(0, rows - again.size());
    again.addAll(first);
    first.clear();
    again.forEach(row -> written.add(new Written(row, commit, incarnation)));
  }
}
