package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads jobs, whether they have ended or not. Thread-safe. */
public final class JobRows {
  /**
   * What {@link #read} needs, of {@code i} (ids), {@code d} (documents) and {@code s} (states). The
   * log's first rows are text in one array.
   */
  public static final String COLUMNS =
      "d.key, d.created_at, d.document::text AS document, d.plan::text AS plan, s.state,"
          + " s.last_number, s.version, ARRAY(SELECT e.entries::text FROM @entries e"
          + " WHERE e.job = d.key ORDER BY e.first LIMIT "
          + EntryRows.PAGE
          + ") AS entries";

  public static final String FIND =
      "SELECT "
          + COLUMNS
          + " FROM @job_ids i JOIN @documents d ON d.key = i.key"
          + " JOIN @job_rows s ON s.key = i.key WHERE i.sort_key = ?";

  public static final String STATE =
      "SELECT s.state FROM @job_ids i JOIN @job_rows s ON s.key = i.key WHERE i.sort_key = ?";

  public static final String LOG_END =
      "SELECT s.key, s.last_number, s.version FROM @job_ids i"
          + " JOIN @job_rows s ON s.key = i.key WHERE i.sort_key = ?";

  public static final String IS_VERSION = "SELECT version = ? FROM @job_rows WHERE key = ?";

  public static final String OUTDATED =
      "SELECT t.key FROM unnest(?::bigint[], ?::bigint[]) AS t (key, version)"
          + " WHERE NOT EXISTS (SELECT FROM @jobs j WHERE j.key = t.key AND j.version = t.version)"
          + " AND NOT EXISTS (SELECT FROM @ended_jobs e WHERE e.key = t.key"
          + " AND e.version = t.version)";

  private final Database database;

  public JobRows(Database database) {
    this.database = database;
  }

  /** The job and the start of its log, as of one moment. */
  public Optional<JobRow> find(JobId id) {
    return database.first(FIND, row -> read(id, row), SortKeys.of(id));
  }

  /** A job in a row of {@link #COLUMNS}. */
  public static JobRow read(JobId id, ResultSet row) throws SQLException {
    Instant createdAt = Objects.requireNonNull(Times.read(row, "created_at"));
    JsonObject document = Json.object(row.getString("document"));
    String submittedBy = document.string(JobRow.SUBMITTED_BY, null);
    document.values().remove(JobRow.SUBMITTED_BY);
    JobSpec whole = JobDocument.read(document, JobDocument.INLINE).withSubmittedBy(submittedBy);
    List<List<TaskSpec>> tasks = JobRow.tasks(whole);
    boolean inline = tasks.stream().anyMatch(stage -> !stage.isEmpty());
    JobSpec spec = inline ? JobRow.withoutTasks(whole) : whole;
    JobPlan plan = StagePlanJson.read(spec, createdAt, row.getString("plan"));
    return new JobRow(
        row.getLong("key"),
        id,
        spec,
        inline ? tasks : List.of(),
        plan,
        JobState.valueOf(row.getString("state")),
        row.getLong("last_number"),
        row.getLong("version"),
        List.of((String[]) row.getArray("entries").getArray()));
  }

  public Optional<JobState> state(JobId id) {
    return database.first(STATE, row -> JobState.valueOf(row.getString("state")), SortKeys.of(id));
  }

  /** Where a job's log stands. */
  public record LogEnd(long key, long lastNumber, long version) {}

  public Optional<LogEnd> logEnd(JobId id) {
    return database.first(
        LOG_END,
        row -> new LogEnd(row.getLong(1), row.getLong(2), row.getLong(3)),
        SortKeys.of(id));
  }

  public boolean isVersion(long key, long version) {
    return database.isTrue(IS_VERSION, version, key);
  }

  /** The keys of jobs that have other versions than these, or are gone. */
  public List<Long> outdated(Map<Long, Long> versions) {
    return versions.isEmpty()
        ? List.of()
        : database.list(
            OUTDATED,
            row -> row.getLong("key"),
            versions.keySet().toArray(Long[]::new),
            versions.values().toArray(Long[]::new));
  }

  /** Changes with every change of what is stored of a job; empty if there is none. */
  public String stamp(JobId id) {
    return database
        .first(
            "SELECT d.xmin::text || ' ' || s.version AS stamp FROM @job_ids i"
                + " JOIN @documents d ON d.key = i.key JOIN @job_rows s ON s.key = i.key"
                + " WHERE i.sort_key = ?",
            row -> row.getString("stamp"),
            SortKeys.of(id))
        .orElse("");
  }
}
