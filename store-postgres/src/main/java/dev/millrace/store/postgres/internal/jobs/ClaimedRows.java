package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Entry;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobRows;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a page that a thread is about to claim from, read at once. Only that thread gets them,
 * because for others they may be out of date. Thread-safe.
 */
final class ClaimedRows {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  static final String READ =
      "SELECT s.sort_key, "
          + JobRows.COLUMNS
          + " FROM @jobs s JOIN @documents d ON d.key = s.key WHERE s.key = ANY (?)";

  private final Database database;
  private final ThreadLocal<Map<JobId, JobRow>> rows = ThreadLocal.withInitial(HashMap::new);
  private volatile Function<JobId, @Nullable PostgresJob> loaded = _ -> null;

  ClaimedRows(Database database) {
    this.database = database;
  }

  /** Sets which jobs are in memory, and need not be read unless they are out of date. */
  void loaded(Function<JobId, @Nullable PostgresJob> jobs) {
    loaded = jobs;
  }

  /** Reads the jobs of a page in place of those of the last one. */
  void read(List<Entry> page) {
    Map<JobId, JobRow> own = rows.get();
    own.clear();
    Long[] missing = page.stream().filter(this::isMissing).map(Entry::key).toArray(Long[]::new);
    if (missing.length > 0) {
      database.list(READ, row -> add(own, row), (Object) missing);
    }
  }

  private boolean isMissing(Entry entry) {
    PostgresJob job = loaded.apply(entry.id());
    return job == null || job.storedNumber() < entry.lastNumber();
  }

  private static boolean add(Map<JobId, JobRow> own, ResultSet row) throws SQLException {
    JobId id = SortKeys.id(row.getString("sort_key"));
    try {
      own.put(id, JobRows.read(id, row));
    } catch (RuntimeException e) { // whoever reads it again says what is wrong
      LOG.log(Level.DEBUG, "cannot read job " + id, e);
    }
    return true;
  }

  /** Whether this thread's page has something newer of a job. */
  boolean hasNewer(PostgresJob job) {
    JobRow row = rows.get().get(job.id());
    return row != null && row.lastNumber() > job.storedNumber();
  }

  /** A job of this thread's page, once; null if it has to be read. */
  @Nullable JobRow take(JobId id) {
    return rows.get().remove(id);
  }

  /** The thread needs no more of its page. */
  void forget() {
    rows.remove();
  }
}
