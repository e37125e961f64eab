package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobRows;
import dev.millrace.store.postgres.internal.rows.StagePlanJson;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Inserts new jobs, whole or not at all: one statement for a small one, a transaction of several
 * for one that is too large for that. Thread-safe.
 */
final class JobInserter {
  private static final int MOST_ROWS = 1_000;
  private static final String SELECT =
      "SELECT key, (SELECT id FROM @incarnation) AS incarnation,"
          + " set_config('synchronous_commit', 'off', true) FROM changed";

  private record Inserted(long key, long incarnation) {}

  private final Database database;

  JobInserter(Database database) {
    this.database = database;
  }

  /**
   * Inserts a job with its log so far.
   *
   * @param copies results to copy: the key of each copy, and of its source
   * @return the incarnation of the database; empty if there is a job with this id
   */
  OptionalLong insert(PostgresJob job, List<LogEntry> log, Map<Long, Long> copies, Instant now) {
    List<TaskRow> tasks = new ArrayList<>(job.unwritten().values());
    StatementBuilder first = first(job, log, tasks, now);
    Optional<Inserted> inserted;
    if (tasks.size() <= MOST_ROWS && log.size() <= MOST_ROWS && copies.isEmpty()) {
      inserted = database.first(first.text(), JobInserter::inserted, first.values());
    } else {
      inserted =
          database.inTransaction(
              statements -> {
                List<Inserted> row =
                    statements.list(first.text(), JobInserter::inserted, first.values());
                if (row.isEmpty()) {
                  return Optional.empty();
                }
                long key = row.getFirst().key();
                insertRest(statements, key, job.version(), log, tasks);
                copyResults(statements, key, copies);
                return Optional.of(row.getFirst());
              });
    }
    inserted.ifPresent(row -> job.inserted(row.key()));
    return inserted.isPresent()
        ? OptionalLong.of(inserted.get().incarnation())
        : OptionalLong.empty();
  }

  private static Inserted inserted(ResultSet row) throws SQLException {
    return new Inserted(row.getLong("key"), row.getLong("incarnation"));
  }

  private static <T> List<T> chunk(List<T> all, int from) {
    return all.subList(Math.min(from, all.size()), Math.min(from + MOST_ROWS, all.size()));
  }

  private static StatementBuilder first(
      PostgresJob job, List<LogEntry> log, List<TaskRow> tasks, Instant now) {
    JobRow row = job.row();
    ChangedColumns columns = ChangedColumns.of(job, now);
    StatementBuilder statement = new StatementBuilder();
    List<@Nullable Object> values = new ArrayList<>();
    values.add(JobRows.sortKey(row.id()));
    values.add(row.id().value());
    values.add(row.createdAt());
    values.add(Json.write(JobDocument.write(row.spec(), false)));
    values.add(StagePlanJson.write(row.plan()));
    values.add(row.spec().parent() == null ? null : row.spec().parent().value());
    values.add(row.spec().tags().toArray(String[]::new));
    values.add(log.getLast().number());
    values.add(job.version());
    values.addAll(Arrays.asList(columns.values()));
    statement.with(
        "changed",
        "INSERT INTO @jobs (sort_key, id, created_at, document, plan, parent, tags, last_number,"
            + " version, "
            + ChangedColumns.NAMES
            + ") VALUES (?, ?, ?, ?::json, ?::json, ?, ?, ?, ?, "
            + ChangedColumns.VALUES
            + ") ON CONFLICT (sort_key) DO NOTHING RETURNING key",
        values.toArray());
    JobWriter.addEntries(statement, chunk(log, 0), job.version());
    JobWriter.addCounts(statement, job.counts());
    JobWriter.addTasks(statement, chunk(tasks, 0));
    addWebhookNote(statement, row);
    return statement.select(SELECT);
  }

  /** The note is there as soon as the job is, so that no delivery is lost. */
  private static void addWebhookNote(StatementBuilder statement, JobRow row) {
    if (!row.spec().webhooks().isEmpty()) {
      statement.with(
          "noted",
          "INSERT INTO @notes (collection, name, note) SELECT ?, ?, ?::json FROM changed"
              + " ON CONFLICT (collection, name) DO UPDATE SET note = EXCLUDED.note",
          NoteStore.WEBHOOKS,
          row.id().value(),
          Json.write("{\"after\":0}"));
    }
  }

  private static void insertRest(
      Database.Statements statements,
      long key,
      long version,
      List<LogEntry> log,
      List<TaskRow> tasks)
      throws SQLException {
    for (int from = MOST_ROWS; from < Math.max(log.size(), tasks.size()); from += MOST_ROWS) {
      StatementBuilder more =
          new StatementBuilder().with("changed", "SELECT ?::bigint AS key", key);
      JobWriter.addEntries(more, chunk(log, from), version);
      JobWriter.addTasks(more, chunk(tasks, from));
      more.select(SELECT);
      statements.list(more.text(), JobInserter::inserted, more.values());
    }
  }

  private static void copyResults(Database.Statements statements, long key, Map<Long, Long> copies)
      throws SQLException {
    List<Map.Entry<Long, Long>> all = List.copyOf(copies.entrySet());
    for (int from = 0; from < all.size(); from += MOST_ROWS) {
      List<Map.Entry<Long, Long>> some = chunk(all, from);
      int copied =
          statements.update(
              "INSERT INTO @results (key, job, result) OVERRIDING SYSTEM VALUE"
                  + " SELECT t.copy, ?, r.result FROM unnest(?::bigint[], ?::bigint[])"
                  + " AS t (copy, source) JOIN @results r ON r.key = t.source",
              key,
              some.stream().map(Map.Entry::getKey).toArray(Long[]::new),
              some.stream().map(Map.Entry::getValue).toArray(Long[]::new));
      if (copied != some.size()) {
        throw new EndedJobGoneException();
      }
    }
  }

  /** The ended job was deleted while its results were copied: nothing was inserted. */
  static final class EndedJobGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
