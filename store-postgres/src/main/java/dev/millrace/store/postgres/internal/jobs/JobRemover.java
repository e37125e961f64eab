package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Deletes jobs that have ended, with all that belongs to them. Thread-safe. */
public final class JobRemover {
  private static final int MOST = 200;

  static final String ENDED_BEFORE =
      "SELECT d.id FROM @ended_jobs e JOIN @documents d ON d.key = e.key"
          + " WHERE e.ended_at < ? AND e.state = ANY (?) ORDER BY e.ended_at";

  private final Database database;

  JobRemover(Database database) {
    this.database = database;
  }

  List<JobId> endedBefore(Instant before, Set<JobState> states) {
    return database.list(
        ENDED_BEFORE,
        row -> new JobId(row.getString("id")),
        before,
        states.stream().map(Enum::name).toArray(String[]::new));
  }

  /** Deletes some at a time, so that no transaction lasts long; durable when this returns. */
  List<JobId> remove(Collection<JobId> ids) {
    List<JobId> gone = new ArrayList<>();
    List<JobId> all = List.copyOf(ids);
    for (int from = 0; from < all.size(); from += MOST) {
      gone.addAll(removeSome(all.subList(from, Math.min(from + MOST, all.size()))));
    }
    return gone;
  }

  private record Gone(long key, JobId id) {}

  private List<JobId> removeSome(List<JobId> ids) {
    return database.inTransaction(
        statements -> {
          statements.endIfIdle();
          List<Gone> gone =
              statements.list(
                  "WITH gone AS (DELETE FROM @ended_jobs WHERE key IN (SELECT key FROM @job_ids"
                      + " WHERE sort_key = ANY (?)) RETURNING key, final_counts),"
                      + " counted AS (INSERT INTO @counts (category, change)"
                      + " SELECT c.key, -sum(c.value::bigint) FROM gone,"
                      + " json_each_text(gone.final_counts) AS c GROUP BY c.key)"
                      + " SELECT gone.key, d.id FROM gone JOIN @documents d ON d.key = gone.key",
                  row -> new Gone(row.getLong("key"), new JobId(row.getString("id"))),
                  (Object) ids.stream().map(SortKeys::of).toArray(String[]::new));
          removeContents(statements, gone.stream().map(Gone::key).toArray(Long[]::new));
          String[] sortKeys = gone.stream().map(it -> SortKeys.of(it.id())).toArray(String[]::new);
          for (String table : List.of("@job_ids", "@unreadable_jobs")) {
            statements.update(
                "DELETE FROM " + table + " WHERE sort_key = ANY (?)", (Object) sortKeys);
          }
          return gone.stream().map(Gone::id).toList();
        });
  }

  private static final List<String> CONTENTS =
      List.of("@entries", "@tasks", "@results", "@partial_outputs", "@journal");

  /** Deletes what belongs to keys, but not the rows by which jobs are found. */
  public static void removeContents(Database.Statements statements, Long... keys)
      throws SQLException {
    for (String table : CONTENTS) {
      statements.update("DELETE FROM " + table + " WHERE job = ANY (?)", (Object) keys);
    }
    statements.update("DELETE FROM @documents WHERE key = ANY (?)", (Object) keys);
  }

  /** Deletes a job that is marked as moved. */
  public static void removeMoved(Database.Statements statements, JobId id) throws SQLException {
    removeMoved(statements, id, "moved_at IS NOT NULL", List.of());
  }

  /** Deletes what was left of a job that had gone to a store, and comes back from it. */
  static void removeReturned(Database.Statements statements, JobId id, String from)
      throws SQLException {
    removeMoved(statements, id, "(moved_at IS NOT NULL OR to_id = ?)", List.of(from));
  }

  private static void removeMoved(
      Database.Statements statements, JobId id, String condition, List<Object> values)
      throws SQLException {
    String key = SortKeys.of(id);
    List<Long> left =
        statements.list(
            "DELETE FROM @moved_jobs WHERE sort_key = ? AND " + condition + " RETURNING key",
            row -> row.getLong(1),
            Stream.concat(Stream.of(key), values.stream()).toArray());
    if (!left.isEmpty()) {
      removeContents(statements, left.toArray(Long[]::new));
      statements.update("DELETE FROM @job_ids WHERE sort_key = ?", key);
      statements.update("DELETE FROM @unreadable_jobs WHERE sort_key = ?", key);
    }
  }
}
