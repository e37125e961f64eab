package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.NoteStore;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.EntryRows;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import dev.millrace.store.postgres.internal.rows.StagePlanJson;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import dev.millrace.store.postgres.internal.rows.WrittenRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Inserts new jobs, whole or not at all: one statement for a small one, a transaction of several
 * for one that is too large for that. Thread-safe.
 */
public final class JobInserter {
  private static final int MOST_ROWS = 1_000;
  private static final String SELECT =
      "SELECT key, (SELECT id FROM @incarnation) AS incarnation,"
          + " set_config('synchronous_commit', 'off', true) FROM given";

  private record Inserted(long key, long incarnation) {}

  private final Database database;

  JobInserter(Database database) {
    this.database = database;
  }

  /**
   * Inserts a job with its log so far.
   *
   * @param copies results to copy: the key of each copy, and of its source
   * @param source the job whose results are copied, by its key; 0 if there is none
   * @return the incarnation of the database; empty if there is a job with this id
   */
  OptionalLong insert(
      PostgresJob job, List<LogEntry> log, Map<Long, Long> copies, long source, Instant now) {
    List<TaskRow> tasks = new ArrayList<>();
    if (job.row().inline().isEmpty()) {
      tasks.addAll(job.unwritten().values());
    }
    StatementBuilder first = first(job, log, tasks, now);
    Optional<Inserted> inserted;
    if (tasks.size() <= MOST_ROWS && log.size() <= MOST_ROWS && copies.isEmpty()) {
      inserted = database.first(first.text(), JobInserter::inserted, first.values());
    } else {
      inserted =
          database.inTransaction(
              statements -> {
                statements.endIfIdle();
                List<Inserted> row =
                    statements.list(first.text(), JobInserter::inserted, first.values());
                if (row.isEmpty()) {
                  return Optional.empty();
                }
                long key = row.getFirst().key();
                insertRest(statements, key, job.version(), log, tasks);
                copyResults(statements, key, copies, source);
                return Optional.of(row.getFirst());
              });
    }
    inserted.ifPresent(row -> job.inserted(row.key()));
    return inserted.isPresent()
        ? OptionalLong.of(inserted.get().incarnation())
        : OptionalLong.empty();
  }

  /**
   * Shows a job of another store. All of it but its place is written, under a key that no id has.
   *
   * @param from the identity of that store: a copy here that had gone there is deleted
   * @param notes that are there as soon as the job is, by collection
   * @return false if there is another job with this id: nothing was changed
   */
  public static boolean show(
      PostgresRepository repository, JobRow row, String from, Map<String, String> notes) {
    PostgresJob job = repository.job(row);
    StatementBuilder show = show(repository, job, notes);
    Optional<Inserted> shown =
        repository
            .database()
            .inTransaction(
                statements -> {
                  statements.endIfIdle();
                  JobRemover.removeReturned(statements, row.id(), from);
                  List<Inserted> rows =
                      statements.list(show.text(), JobInserter::inserted, show.values());
                  if (rows.isEmpty()) {
                    statements.takeBack();
                    return Optional.empty();
                  }
                  statements.update(
                      "DELETE FROM @arriving_jobs WHERE sort_key = ?", SortKeys.of(row.id()));
                  return Optional.of(rows.getFirst());
                });
    shown.ifPresent(it -> repository.inserted(job, it.incarnation()));
    return shown.isPresent();
  }

  private static StatementBuilder show(
      PostgresRepository repository, PostgresJob job, Map<String, String> notes) {
    StatementBuilder statement = new StatementBuilder();
    statement.with(
        "given",
        "INSERT INTO @job_ids (sort_key, key) VALUES (?, ?) ON CONFLICT DO NOTHING"
            + " RETURNING key, sort_key",
        SortKeys.of(job.id()),
        job.key());
    addState(
        statement, job, job.row().lastNumber(), ChangedColumns.of(job, repository.now().steady()));
    AppendStatement.addCounts(statement, job.counts(), "given");
    statement.with(
        "noted",
        "INSERT INTO @notes (collection, name, note) SELECT t.collection, ?, t.note::json"
            + " FROM given, unnest(?::text[], ?::text[]) AS t (collection, note)"
            + " ON CONFLICT (collection, name) DO UPDATE SET note = EXCLUDED.note",
        job.id().value(),
        notes.keySet().toArray(String[]::new),
        notes.values().stream().map(Json::write).toArray(String[]::new));
    return statement.select("SELECT key, (SELECT id FROM @incarnation) AS incarnation FROM given");
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
    StatementBuilder statement = new StatementBuilder();
    statement.with(
        "given",
        "INSERT INTO @job_ids (sort_key) VALUES (?) ON CONFLICT DO NOTHING"
            + " RETURNING key, sort_key",
        SortKeys.of(row.id()));
    statement.with(
        "described",
        "INSERT INTO @documents (key, id, created_at, document, plan, parent, tags)"
            + " SELECT key, ?, ?, ?::json, ?::json, ?, ? FROM given",
        row.id().value(),
        row.createdAt(),
        row.document(),
        StagePlanJson.write(row.plan()),
        row.spec().parent() == null ? null : row.spec().parent().value(),
        row.spec().tags().toArray(String[]::new));
    addState(statement, job, log.getLast().number(), ChangedColumns.of(job, now));
    addEntries(statement, chunk(log, 0), job.version());
    AppendStatement.addCounts(statement, job.counts(), "given");
    addTasks(statement, chunk(tasks, 0));
    addWebhookNote(statement, row);
    return statement.select(SELECT);
  }

  /** Its row in the queue, or in the history if it has ended at once. */
  private static void addState(
      StatementBuilder statement, PostgresJob job, long last, ChangedColumns columns) {
    if (columns.endedAt() != null) {
      statement.with(
          "ended",
          "INSERT INTO @ended_jobs (key, sort_key, state, priority, updated_at, ended_at,"
              + " last_number, version, final_counts)"
              + " SELECT key, sort_key, ?, ?, ?, ?, ?, ?, ?::json FROM given",
          columns.state(),
          columns.priority(),
          columns.updatedAt(),
          columns.endedAt(),
          last,
          job.version(),
          columns.finalCounts());
      return;
    }
    statement.with(
        "queued",
        "INSERT INTO @jobs (key, sort_key, state, priority, at_gate, updated_at, last_number,"
            + " version, rank, waiting, claim_type, claim_at, due_at)"
            + " SELECT key, sort_key, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::timestamptz, ?::timestamptz"
            + " FROM given",
        columns.state(),
        columns.priority(),
        columns.atGate(),
        columns.updatedAt(),
        last,
        job.version(),
        columns.rank(),
        columns.waiting(),
        columns.claimType(),
        AppendStatement.claimAt(columns),
        columns.dueAt());
  }

  private static void addEntries(StatementBuilder statement, List<LogEntry> log, long version) {
    if (!log.isEmpty()) {
      statement.with(
          "logged",
          "INSERT INTO @entries (job, first, last, version, entries)"
              + " SELECT key, ?, ?, ?, ?::json FROM given",
          log.getFirst().number(),
          log.getLast().number(),
          version,
          EntryRows.write(log));
    }
  }

  private static void addTasks(StatementBuilder statement, List<TaskRow> tasks) {
    if (!tasks.isEmpty()) {
      WrittenRows rows = WrittenRows.of(tasks);
      statement.with(
          "kept",
          "INSERT INTO @tasks (job, stage, task, spec, rendered)"
              + " SELECT key, t.stage, t.task, t.spec::json, t.rendered::json FROM given,"
              + " unnest(?::int[], ?::int[], ?::text[], ?::text[])"
              + " AS t (stage, task, spec, rendered)",
          rows.stages(),
          rows.tasks(),
          rows.specs(),
          rows.rendered());
    }
  }

  /** The note is there as soon as the job is, so that no delivery is lost. */
  private static void addWebhookNote(StatementBuilder statement, JobRow row) {
    if (!row.spec().webhooks().isEmpty()) {
      statement.with(
          "noted",
          "INSERT INTO @notes (collection, name, note) SELECT ?, ?, ?::json FROM given"
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
      StatementBuilder more = new StatementBuilder().with("given", "SELECT ?::bigint AS key", key);
      addEntries(more, chunk(log, from), version);
      addTasks(more, chunk(tasks, from));
      more.select(SELECT);
      statements.list(more.text(), JobInserter::inserted, more.values());
    }
  }

  private static void copyResults(
      Database.Statements statements, long key, Map<Long, Long> copies, long source)
      throws SQLException {
    List<Map.Entry<Long, Long>> all = List.copyOf(copies.entrySet());
    for (int from = 0; from < all.size(); from += MOST_ROWS) {
      List<Map.Entry<Long, Long>> some = chunk(all, from);
      int copied =
          statements.update(
              "INSERT INTO @results (job, key, result)"
                  + " SELECT ?, t.copy, r.result FROM unnest(?::bigint[], ?::bigint[])"
                  + " AS t (copy, source) JOIN @results r ON r.job = ? AND r.key = t.source",
              key,
              some.stream().map(Map.Entry::getKey).toArray(Long[]::new),
              some.stream().map(Map.Entry::getValue).toArray(Long[]::new),
              source);
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
