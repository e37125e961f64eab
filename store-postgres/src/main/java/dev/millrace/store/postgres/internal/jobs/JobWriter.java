package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.store.ConcurrentUpdateException;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import dev.millrace.store.postgres.internal.rows.WrittenRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the logs of jobs, with all that follows from it, in one statement. It changes a job
 * only if that has the version that was read. Thread-safe.
 */
final class JobWriter {
  private static final String UPDATE =
      "UPDATE @jobs SET (last_number, version, offered_until, "
          + ChangedColumns.NAMES
          + ") = (?, ?, NULL, "
          + ChangedColumns.VALUES
          + ") WHERE key = ? AND version = ? RETURNING key";

  private final Database database;
  private final CommitFlusher flusher;
  private final Runnable workAdded;

  /**
   * @param workAdded called when there may be more to claim
   */
  JobWriter(Database database, CommitFlusher flusher, Runnable workAdded) {
    this.database = database;
    this.flusher = flusher;
    this.workAdded = workAdded;
  }

  /** As {@link dev.millrace.core.internal.store.JobRepository#append}. */
  long append(PostgresJob job, JobUpdate update) {
    List<LogEntry> entries = update.entries();
    if (entries.isEmpty()) {
      return 0;
    }
    long version = newVersion();
    StatementBuilder statement = statement(job, update, version);
    long incarnation =
        database
            .first(statement.text(), row -> row.getLong("incarnation"), statement.values())
            .orElseThrow(() -> new ConcurrentUpdateException("job " + job.id() + " was changed"));
    job.version(version);
    job.unwritten().clear();
    return committed(job, incarnation);
  }

  private static StatementBuilder statement(PostgresJob job, JobUpdate update, long version) {
    List<LogEntry> entries = update.entries();
    Map<String, Long> counts = job.takeCountChanges(); // first: the columns have them, too
    ChangedColumns columns = ChangedColumns.of(job, update.steadyNow());
    List<@Nullable Object> values = new ArrayList<>(List.of(entries.getLast().number(), version));
    values.addAll(Arrays.asList(columns.values()));
    values.addAll(List.of(job.key(), job.version()));
    StatementBuilder statement = new StatementBuilder();
    statement.with("changed", UPDATE, values.toArray());
    addEntries(statement, entries, version);
    addCounts(statement, counts);
    addTasks(statement, job.unwritten().values());
    GrantedLeases.of(entries).addTo(statement, job.id(), update.steadyNow());
    return statement.select(
        "SELECT key, (SELECT id FROM @incarnation) AS incarnation,"
            + " set_config('synchronous_commit', 'off', true) FROM changed");
  }

  private long committed(PostgresJob job, long incarnation) {
    boolean enqueued = job.takeArrival();
    long commit = flusher.committed(job.id(), enqueued, incarnation);
    if (enqueued) {
      workAdded.run();
    }
    return commit;
  }

  static long newVersion() {
    return ThreadLocalRandom.current().nextLong();
  }

  static void addEntries(StatementBuilder statement, List<LogEntry> entries, long version) {
    statement.with(
        "logged",
        "INSERT INTO @entries (job, number, version, entry)"
            + " SELECT key, t.number, ?, t.entry::json FROM changed,"
            + " unnest(?::bigint[], ?::text[]) AS t (number, entry)",
        version,
        entries.stream().map(LogEntry::number).toArray(Long[]::new),
        entries.stream().map(LogEntryJson::write).toArray(String[]::new));
  }

  static void addCounts(StatementBuilder statement, Map<String, Long> counts) {
    if (!counts.isEmpty()) {
      statement.with(
          "counted",
          "INSERT INTO @counts (category, change) SELECT t.category, t.change FROM changed,"
              + " unnest(?::text[], ?::bigint[]) AS t (category, change)",
          counts.keySet().toArray(String[]::new),
          counts.values().toArray(Long[]::new));
    }
  }

  static void addTasks(StatementBuilder statement, Collection<TaskRow> tasks) {
    if (!tasks.isEmpty()) {
      WrittenRows rows = WrittenRows.of(tasks);
      statement.with(
          "kept",
          "INSERT INTO @tasks (job, stage, task, spec, rendered)"
              + " SELECT key, t.stage, t.task, t.spec::json, t.rendered::json FROM changed,"
              + " unnest(?::int[], ?::int[], ?::text[], ?::text[])"
              + " AS t (stage, task, spec, rendered)"
              + " ON CONFLICT (job, stage, task) DO UPDATE SET rendered = EXCLUDED.rendered",
          rows.stages(),
          rows.tasks(),
          rows.specs(),
          rows.rendered());
    }
  }
}
