package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.DatabaseClock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Asks a database about itself. Changes nothing. */
public final class DatabaseInspector {
  private static final int MOST = 1_000;

  private final Database database;

  public DatabaseInspector(Database database) {
    this.database = database;
  }

  public String setting(String name) {
    return database.first("SELECT current_setting(?)", row -> row.getString(1), name).orElseThrow();
  }

  public int freeConnections() {
    return database
        .first(
            "SELECT current_setting('max_connections')::int -"
                + " current_setting('superuser_reserved_connections')::int - (SELECT count(*) FROM"
                + " pg_stat_activity WHERE backend_type = 'client backend')",
            row -> row.getInt(1))
        .orElseThrow();
  }

  /** Whether the connection is. */
  public boolean isEncrypted() {
    return database.isTrue("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
  }

  public Duration clockAhead() {
    return Duration.between(Instant.now(), DatabaseClock.of(database).instant());
  }

  /** Jobs that were taken out and have not arrived elsewhere, by where they go. */
  public Map<String, Long> onTheWay() {
    Map<String, Long> found = new LinkedHashMap<>();
    database.list(
        "SELECT to_name, count(*) AS jobs FROM @moved_jobs WHERE moved_at IS NULL"
            + " GROUP BY to_name ORDER BY to_name",
        row -> found.put(row.getString("to_name"), row.getLong("jobs")));
    return found;
  }

  public Map<JobId, String> unreadable() {
    Map<JobId, String> found = new LinkedHashMap<>();
    database.list(
        "SELECT id, reason FROM @unreadable_jobs ORDER BY sort_key LIMIT ?",
        row -> found.put(new JobId(row.getString("id")), row.getString("reason")),
        MOST);
    return found;
  }
}
