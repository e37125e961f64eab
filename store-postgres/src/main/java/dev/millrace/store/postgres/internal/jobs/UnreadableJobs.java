package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Marks jobs that cannot be read, so that all servers and people know of them. Thread-safe. */
final class UnreadableJobs {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final int MOST_REASON = 500;

  private final Database database;

  /** Jobs that this server has marked. */
  private final Set<JobId> marked = ConcurrentHashMap.newKeySet();

  private volatile long counted;

  UnreadableJobs(Database database) {
    this.database = database;
  }

  /** Reads a job, and marks it if that throws. */
  <T> @Nullable T observe(JobId id, Supplier<@Nullable T> read) {
    T job;
    try {
      job = read.get();
    } catch (StoreException e) {
      throw e; // not the job's fault
    } catch (RuntimeException | StackOverflowError e) {
      mark(id, e);
      throw e;
    }
    if (marked.remove(id)) {
      update(id, null);
    }
    return job;
  }

  private void mark(JobId id, Throwable problem) {
    String reason = problem.toString().replaceAll("\\p{Cntrl}+", " ");
    if (marked.add(id)) {
      update(id, reason.substring(0, Math.min(MOST_REASON, reason.length())));
    }
  }

  private void update(JobId id, @Nullable String reason) {
    try {
      if (reason == null) {
        database.update("DELETE FROM @unreadable_jobs WHERE sort_key = ?", SortKeys.of(id));
      } else {
        database.update(
            "INSERT INTO @unreadable_jobs (sort_key, id, reason) VALUES (?, ?, ?)"
                + " ON CONFLICT (sort_key) DO UPDATE SET reason = EXCLUDED.reason",
            SortKeys.of(id),
            id.value(),
            reason);
      }
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "job " + id + " is not marked", e);
    }
  }

  /** Asks the database. */
  long count() {
    counted =
        database.inTransaction(
            statements -> {
              statements.giveUpSoon();
              return statements
                  .list("SELECT count(*) FROM @unreadable_jobs", row -> row.getLong(1))
                  .getFirst();
            });
    return counted;
  }

  /** How many there were when the database was asked last, and those of this server. */
  long known() {
    return Math.max(counted, marked.size());
  }
}
