package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.internal.rows.EntryRows;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.ResultRows.ResultRow;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What one append changes of a job.
 *
 * @param before the version that it must have
 * @param version that it has then
 * @param wasEnded whether its row is in the history already
 * @param counts what it adds to the counts
 * @param enqueued whether there may be more to claim
 * @param now steady time
 */
record JobChange(
    PostgresJob job,
    long before,
    long version,
    boolean wasEnded,
    List<LogEntry> entries,
    ChangedColumns columns,
    Map<String, Long> counts,
    List<TaskRow> tasks,
    List<ResultRow> results,
    List<JournalRow> journal,
    boolean enqueued,
    Instant now) {

  /**
   * The job's lock is held until the change is written.
   *
   * @param journal rows of its tasks that wait to be written
   */
  static JobChange of(PostgresJob job, JobUpdate update, List<JournalRow> journal) {
    List<LogEntry> entries = update.entries();
    Map<String, Long> counts = job.takeCountChanges(); // first: the columns have them, too
    return new JobChange(
        job,
        job.version(),
        newVersion(),
        job.isStoredAsEnded(),
        entries,
        ChangedColumns.of(job, update.steadyNow()),
        counts,
        List.copyOf(job.unwritten().values()),
        results(job, entries),
        journal.stream().filter(row -> isNeeded(job, row)).toList(),
        job.takeNewWork(),
        update.steadyNow());
  }

  static long newVersion() {
    return ThreadLocalRandom.current().nextLong();
  }

  /** Of the results that were kept, those that count now. */
  private static List<ResultRow> results(PostgresJob job, List<LogEntry> entries) {
    List<ResultRow> results = new ArrayList<>();
    for (LogEntry entry : entries) {
      if (entry.fact() instanceof Fact.TaskChanged(var _, var _, var _, var detail)
          && detail instanceof Fact.Detail.Completed(long key, var _)
          && job.unwrittenResults().get(key) instanceof ResultRow result) {
        results.add(result);
      }
    }
    return results;
  }

  /** The result of a completed task has all of it. */
  private static boolean isNeeded(PostgresJob job, JournalRow row) {
    ClaimKey claim = row.claim();
    return job.fold().stage(claim.stage()).task(claim.task()).state() != TaskState.COMPLETED;
  }

  /** Whether somebody waits until it is durable. */
  boolean isAwaited() {
    for (LogEntry entry : entries) {
      switch (entry.fact()) {
        case Fact.TermsFrozen _, Fact.WorkerLogLine _, Fact.TaskProgressed _ -> {}
        default -> {
          return true;
        }
      }
    }
    return false;
  }

  boolean ends() {
    return !wasEnded && columns.endedAt() != null;
  }

  long key() {
    return job.key();
  }

  long first() {
    return entries.getFirst().number();
  }

  long last() {
    return entries.getLast().number();
  }

  String entriesText() {
    return EntryRows.write(entries);
  }

  /** It is written: the job in memory is what is stored. */
  void written() {
    job.written(version, columns.endedAt() != null);
  }
}
