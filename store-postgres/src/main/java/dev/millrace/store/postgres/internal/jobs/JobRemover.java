package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JobRows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Deletes jobs that have ended, with all that belongs to them. Thread-safe. */
final class JobRemover {
  private static final int MOST = 200;

  private final Database database;

  JobRemover(Database database) {
    this.database = database;
  }

  List<JobId> endedBefore(Instant before, Set<JobState> states) {
    return database.list(
        "SELECT id FROM @jobs WHERE ended_at < ? AND state = ANY (?) ORDER BY ended_at",
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
          List<Gone> gone =
              statements.list(
                  "WITH gone AS (DELETE FROM @jobs WHERE sort_key = ANY (?)"
                      + " AND ended_at IS NOT NULL RETURNING key, id, final_counts),"
                      + " counted AS (INSERT INTO @counts (category, change)"
                      + " SELECT c.key, -sum(c.value::bigint) FROM gone,"
                      + " json_each_text(gone.final_counts) AS c GROUP BY c.key)"
                      + " SELECT key, id FROM gone",
                  row -> new Gone(row.getLong("key"), new JobId(row.getString("id"))),
                  (Object) ids.stream().map(JobRows::sortKey).toArray(String[]::new));
          Long[] keys = gone.stream().map(Gone::key).toArray(Long[]::new);
          for (String table :
              List.of("@entries", "@tasks", "@results", "@partial_outputs", "@journal")) {
            statements.update("DELETE FROM " + table + " WHERE job = ANY (?)", (Object) keys);
          }
          return gone.stream().map(Gone::id).toList();
        });
  }
}
