package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists jobs by a query: each condition that it has becomes one of the statement. */
final class JobQuery {
  private final StringBuilder where = new StringBuilder("s.state = ANY (?)");
  private final List<@Nullable Object> values = new ArrayList<>();

  private JobQuery(Query query) {
    values.add(query.states().stream().map(Enum::name).toArray(String[]::new));
    add("? = ANY (d.tags)", query.tag());
    add("d.parent = ?", query.parent() == null ? null : query.parent().value());
    add("position(? in d.id) > 0", query.idPart());
    add("s.sort_key < ?", query.until() == null ? null : SortKeys.after(micros(query.until())));
    JobId beyond = query.beyond();
    add(
        query.newest() ? "s.sort_key < ?" : "s.sort_key > ?",
        beyond == null ? null : SortKeys.of(beyond));
    if (query.atGate()) {
      where.append(" AND s.at_gate");
    }
    if (!query.states().contains(JobState.COMPLETED)) {
      where.append(" AND s.state <> 'COMPLETED'"); // so that an index finds the others
    }
  }

  private static long micros(Instant time) {
    return Math.max(0, ChronoUnit.MICROS.between(Instant.EPOCH, time));
  }

  private void add(String condition, @Nullable Object value) {
    if (value != null) {
      where.append(" AND ").append(condition);
      values.add(value);
    }
  }

  static List<JobId> list(Database database, Query query) {
    JobQuery built = new JobQuery(query);
    built.values.add(query.limit());
    List<JobId> ids =
        database.list(
            "SELECT d.id FROM @job_states s JOIN @documents d ON d.key = s.key WHERE "
                + built.where
                + " ORDER BY s.sort_key"
                + (query.newest() ? " DESC" : "")
                + " LIMIT ?",
            row -> new JobId(row.getString("id")),
            built.values.toArray());
    return query.newest() ? ids.reversed() : ids;
  }
}
