package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads jobs and their logs. Thread-safe. */
public final class JobRows {
  /** Entries that are read at once: a log may be longer than memory. */
  public static final int PAGE = 500;

  private final Database database;

  public JobRows(Database database) {
    this.database = database;
  }

  /** An id as the tables sort it: by time, then as {@link JobId} does. */
  public static String sortKey(JobId id) {
    return "%019d_%019d_%019d_%s".formatted(id.micros(), id.part(1), id.part(2), id.value());
  }

  /** The sort key that every id has before it whose time is that or an earlier one. */
  public static String sortKeyAfter(long micros) {
    return "%019d_~".formatted(micros); // '~' is behind all digits
  }

  /** The job and the start of its log, as of one moment. */
  public Optional<JobRow> find(JobId id) {
    return database.first(
        "SELECT j.key, j.created_at, j.document, j.plan, j.state, j.last_number, j.version,"
            + " ARRAY(SELECT e.entry::text FROM @entries e WHERE e.job = j.key"
            + " ORDER BY e.number LIMIT 500) AS entries"
            + " FROM @jobs j WHERE j.sort_key = ?",
        row -> read(id, row),
        sortKey(id));
  }

  private static JobRow read(JobId id, ResultSet row) throws SQLException {
    Instant createdAt = Objects.requireNonNull(Times.read(row, "created_at"));
    JobSpec spec = JobDocument.read(Json.object(row.getString("document")), JobDocument.INLINE);
    JobPlan plan = StagePlanJson.read(spec, createdAt, row.getString("plan"));
    return new JobRow(
        row.getLong("key"),
        id,
        spec,
        plan,
        JobState.valueOf(row.getString("state")),
        row.getLong("last_number"),
        row.getLong("version"),
        List.of((String[]) row.getArray("entries").getArray()));
  }

  /** Gives every entry of a job that was read, in order. */
  public void forEachEntry(JobRow job, Consumer<LogEntry> entries) {
    long last = 0;
    for (String entry : job.entries()) {
      last = accept(entry, last, entries);
    }
    while (last < job.lastNumber()) {
      List<String> page = page(job.key(), last, PAGE);
      for (String entry : page) {
        if (last < job.lastNumber()) { // what came later is not of the row that was read
          last = accept(entry, last, entries);
        }
      }
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "its log ends at entry " + last + ", and its row says " + job.lastNumber());
      }
    }
  }

  private static long accept(String text, long last, Consumer<LogEntry> entries) {
    LogEntry entry = LogEntryJson.read(text);
    if (entry.number() != last + 1) {
      throw new IllegalStateException(
          "its log has entry " + entry.number() + " behind entry " + last);
    }
    entries.accept(entry);
    return entry.number();
  }

  private List<String> page(long key, long after, int limit) {
    return database.list(
        "SELECT entry::text AS entry FROM @entries WHERE job = ? AND number > ?"
            + " ORDER BY number LIMIT ?",
        row -> row.getString("entry"),
        key,
        after,
        limit);
  }

  /** Entries of a job's log after a number. */
  public List<LogEntry> entries(JobId id, long after, int limit) {
    return database
        .list(
            "SELECT entry::text AS entry FROM @entries"
                + " WHERE job = (SELECT key FROM @jobs WHERE sort_key = ?) AND number > ?"
                + " ORDER BY number LIMIT ?",
            row -> row.getString("entry"),
            sortKey(id),
            after,
            Math.min(limit, 2 * PAGE))
        .stream()
        .map(LogEntryJson::read)
        .toList();
  }

  /** Entries of a job from a number on, each with the version of the append that wrote it. */
  public List<VersionedEntry> entriesFrom(long key, long from, long to) {
    return database.list(
        "SELECT version, entry::text AS entry FROM @entries"
            + " WHERE job = ? AND number BETWEEN ? AND ? ORDER BY number",
        row ->
            new VersionedEntry(row.getLong("version"), LogEntryJson.read(row.getString("entry"))),
        key,
        from,
        to);
  }

  /** An entry with the version of the job after the append that wrote it. */
  public record VersionedEntry(long version, LogEntry entry) {}

  /** One entry of a job. */
  public Optional<LogEntry> entry(long key, long number) {
    return database.first(
        "SELECT entry::text AS entry FROM @entries WHERE job = ? AND number = ?",
        row -> LogEntryJson.read(row.getString("entry")),
        key,
        number);
  }

  public Optional<JobState> state(JobId id) {
    return database.first(
        "SELECT state FROM @jobs WHERE sort_key = ?",
        row -> JobState.valueOf(row.getString("state")),
        sortKey(id));
  }

  /** Where a job's log stands. */
  public record Standing(long key, long lastNumber, long version) {}

  public Optional<Standing> standing(JobId id) {
    return database.first(
        "SELECT key, last_number, version FROM @jobs WHERE sort_key = ?",
        row -> new Standing(row.getLong(1), row.getLong(2), row.getLong(3)),
        sortKey(id));
  }

  public boolean isVersion(long key, long version) {
    return database.isTrue("SELECT version = ? FROM @jobs WHERE key = ?", version, key);
  }

  /** The keys of jobs that have other versions than these, or are gone. */
  public List<Long> outdated(Map<Long, Long> versions) {
    return versions.isEmpty()
        ? List.of()
        : database.list(
            "SELECT t.key FROM unnest(?::bigint[], ?::bigint[]) AS t (key, version)"
                + " LEFT JOIN @jobs j ON j.key = t.key WHERE j.version IS DISTINCT FROM t.version",
            row -> row.getLong("key"),
            versions.keySet().toArray(Long[]::new),
            versions.values().toArray(Long[]::new));
  }

  /** Changes with every change of the row; empty if there is none. */
  public String stamp(JobId id) {
    return database
        .first(
            "SELECT xmin::text || ' ' || version AS stamp FROM @jobs WHERE sort_key = ?",
            row -> row.getString("stamp"),
            sortKey(id))
        .orElse("");
  }
}
