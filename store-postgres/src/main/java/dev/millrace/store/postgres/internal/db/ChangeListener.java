package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Learns what other servers have changed. A notification says only that there is something to read;
 * where none arrives, as behind a pooler, it is read at intervals. One thread uses it.
 */
public final class ChangeListener implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** The longest time between two looks. */
  private static final Duration POLL = Duration.ofMillis(500);

  /** What is behind the numbers that were seen; each lane is found by one look into the index. */
  public static final String NEW =
      "WITH RECURSIVE lanes AS ((SELECT server, lane FROM @changes ORDER BY server, lane LIMIT 1)"
          + " UNION ALL SELECT n.server, n.lane FROM lanes l CROSS JOIN LATERAL (SELECT server,"
          + " lane FROM @changes c WHERE (c.server, c.lane) > (l.server, l.lane)"
          + " ORDER BY server, lane LIMIT 1) n)"
          + " SELECT l.server, l.lane, c.number, c.jobs, coalesce(c.work_rank, ?) AS work_rank"
          + " FROM lanes l LEFT JOIN unnest(?::bigint[], ?::int[], ?::bigint[])"
          + " AS s (server, lane, number) ON s.server = l.server AND s.lane = l.lane"
          + " CROSS JOIN LATERAL (SELECT number, jobs, work_rank FROM @changes c"
          + " WHERE c.server = l.server AND c.lane = l.lane AND c.number > coalesce(s.number, 0)"
          + " ORDER BY c.number) c WHERE l.server <> ?";

  private final Database database;
  private final long epoch;
  private final Map<Lane, Long> seen = new HashMap<>();
  private final NotificationListener notifications;

  /** Whose commits follow each other. */
  private record Lane(long server, int lane) {}

  /** What servers have changed. */
  private record Change(Lane lane, long number, List<String> jobs, long workRank) {}

  public ChangeListener(Database database, long epoch) {
    this.database = database;
    this.epoch = epoch;
    this.notifications = new NotificationListener(database, epoch);
    database.list(
        "SELECT server, lane, max(number) AS number FROM @changes GROUP BY server, lane",
        row -> seen.put(lane(row), row.getLong("number")));
  }

  /** Waits for a notification of another server, or the end of the interval. */
  public void await() throws InterruptedException {
    notifications.await(POLL);
  }

  /**
   * Reads what is new.
   *
   * @param changed gets each job that another server has changed
   * @return the first place in the claim order of what was enqueued, or {@link
   *     CommitFlusher#NO_WORK}
   */
  public long read(Consumer<JobId> changed) {
    List<Change> changes =
        database.list(
            NEW,
            ChangeListener::change,
            CommitFlusher.NO_WORK,
            seen.keySet().stream().map(Lane::server).toArray(Long[]::new),
            seen.keySet().stream().map(Lane::lane).toArray(Integer[]::new),
            seen.values().toArray(Long[]::new),
            epoch);
    long work = CommitFlusher.NO_WORK;
    for (Change change : changes) {
      seen.put(change.lane(), change.number());
      work = Math.min(work, change.workRank());
      change.jobs().forEach(id -> changed.accept(new JobId(id)));
    }
    return work;
  }

  private static Lane lane(ResultSet row) throws SQLException {
    return new Lane(row.getLong("server"), row.getInt("lane"));
  }

  private static Change change(ResultSet row) throws SQLException {
    return new Change(
        lane(row),
        row.getLong("number"),
        List.of((String[]) row.getArray("jobs").getArray()),
        row.getLong("work_rank"));
  }

  /** Forgets servers that are gone, and what everyone has read. */
  public void forgetOld() {
    try {
      database.update("DELETE FROM @changes WHERE at < now() - interval '1 minute'");
      database.update("DELETE FROM @servers WHERE alive_until < now() - interval '1 day'");
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "cannot delete old changes", e);
    }
  }

  @Override
  public void close() {
    notifications.close();
  }
}
