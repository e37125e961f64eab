package dev.millrace.store.postgres.internal.move;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.jobs.JobRemover;
import dev.millrace.store.postgres.internal.jobs.PostgresJob;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobRows;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The table of jobs that were taken out. Thread-safe. */
public final class MovedJobRows {
  /** Waits for the disk, also where that is not the default. */
  private static final String SYNCED =
      "CASE current_setting('synchronous_commit') WHEN 'off'"
          + " THEN set_config('synchronous_commit', 'on', true) END";

  private static final String COLUMNS =
      "sort_key, ticket, to_id, to_name, moved_at IS NOT NULL AS arrived";

  static final String TAKE_OUT =
      "WITH queued AS (DELETE FROM @jobs WHERE key = ? AND version = ? RETURNING *),"
          + " ended AS (DELETE FROM @ended_jobs WHERE key = ? AND version = ? RETURNING *),"
          + " taken AS (INSERT INTO @moved_jobs (key, sort_key, state, ended, job_row, counts,"
          + " ticket, to_id, to_name) SELECT t.key, t.sort_key, t.state, t.ended, t.job_row,"
          + " ?::json, ?, ?, ? FROM (SELECT key, sort_key, state, false AS ended,"
          + " row_to_json(queued) AS job_row FROM queued UNION ALL SELECT key, sort_key, state,"
          + " true, row_to_json(ended) FROM ended) AS t RETURNING key),"
          + " counted AS (INSERT INTO @counts (category, change) SELECT c.key, -c.value::bigint"
          + " FROM taken, json_each_text(?::json) AS c)"
          + " SELECT key, "
          + SYNCED
          + " FROM taken";

  static final String PUT_BACK =
      "WITH back AS (DELETE FROM @moved_jobs WHERE sort_key = ? AND moved_at IS NULL RETURNING *),"
          + " queued AS (INSERT INTO @jobs SELECT r.* FROM back,"
          + " json_populate_record(NULL::@jobs, back.job_row) AS r WHERE NOT back.ended),"
          + " ended AS (INSERT INTO @ended_jobs SELECT r.* FROM back,"
          + " json_populate_record(NULL::@ended_jobs, back.job_row) AS r WHERE back.ended),"
          + " counted AS (INSERT INTO @counts (category, change) SELECT c.key, c.value::bigint"
          + " FROM back, json_each_text(back.counts) AS c) SELECT key, "
          + SYNCED
          + " FROM back";

  private final Database database;

  public MovedJobRows(Database database) {
    this.database = database;
  }

  /** Takes a job out, if it still has that version; returns whether it had. */
  boolean takeOut(PostgresJob job, String ticket, MoveDestination to) {
    JsonObject counts = JsonObject.create();
    Map<String, Long> added = job.counts();
    added.forEach(counts::put);
    String json = Json.write(counts);
    return database
        .first(
            TAKE_OUT,
            _ -> true,
            job.key(),
            job.version(),
            job.key(),
            job.version(),
            json,
            ticket,
            to.identity(),
            to.name(),
            json)
        .isPresent();
  }

  boolean putBack(JobId id) {
    return database.first(PUT_BACK, _ -> true, SortKeys.of(id)).isPresent();
  }

  void markMoved(JobId id) {
    database.first(
        "WITH marked AS (UPDATE @moved_jobs SET moved_at = coalesce(moved_at, now())"
            + " WHERE sort_key = ? RETURNING 1) SELECT "
            + SYNCED
            + " FROM marked",
        _ -> true,
        SortKeys.of(id));
  }

  void delete(JobId id) {
    database.inTransaction(
        statements -> {
          statements.endIfIdle();
          JobRemover.removeMoved(statements, id);
          return id;
        });
  }

  /** A job that was taken out; empty if there is none with this id. */
  public Optional<TakenOutJob> find(JobId id) {
    return database.first(
        "SELECT " + COLUMNS + " FROM @moved_jobs WHERE sort_key = ?",
        MovedJobRows::read,
        SortKeys.of(id));
  }

  /** All jobs that were taken out and are still here. */
  public void forEach(Consumer<TakenOutJob> jobs) {
    List<TakenOutJob> all =
        database.list(
            "SELECT " + COLUMNS + " FROM @moved_jobs ORDER BY sort_key", MovedJobRows::read);
    all.forEach(jobs);
  }

  private static TakenOutJob read(ResultSet row) throws SQLException {
    return new TakenOutJob(
        SortKeys.id(row.getString("sort_key")),
        row.getString("ticket"),
        new MoveDestination(row.getString("to_id"), row.getString("to_name")),
        row.getBoolean("arrived"));
  }

  /** A job that was taken out, with the start of its log. */
  Optional<JobRow> row(JobId id) {
    return database.first(
        "SELECT "
            + JobRows.COLUMNS
            + " FROM (SELECT key, state, (job_row ->> 'last_number')::bigint AS last_number,"
            + " (job_row ->> 'version')::bigint AS version FROM @moved_jobs WHERE sort_key = ?) s"
            + " JOIN @documents d ON d.key = s.key",
        row -> JobRows.read(id, row),
        SortKeys.of(id));
  }

  /** A job whose rows are written, and that no id leads to yet. */
  static JobRow assembled(
      Database database, JobId id, long key, JobState state, long last, long version) {
    return database
        .first(
            "SELECT "
                + JobRows.COLUMNS
                + " FROM (SELECT ?::bigint AS key, ?::text AS state, ?::bigint AS last_number,"
                + " ?::bigint AS version) s JOIN @documents d ON d.key = s.key",
            row -> JobRows.read(id, row),
            key,
            state.name(),
            last,
            version)
        .orElseThrow();
  }
}
