package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.internal.count.CountCategories;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Times;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The counts of all jobs, which every change keeps: it adds rows of what it changes, and these are
 * summed up at intervals. So no two changes wait for each other. Thread-safe.
 */
public final class KeptCounts {
  /**
   * The first job of a type from a priority on. The range, rather than an equal priority, is what
   * only one index has in order: the claim order would pass all jobs of other priorities.
   */
  public static final String OLDEST =
      "SELECT d.created_at FROM (SELECT key, priority FROM @jobs WHERE claim_type = ?"
          + " AND (priority, rank, sort_key) >= (?, ?, '')"
          + " ORDER BY priority, rank, sort_key LIMIT 1) j"
          + " JOIN @documents d ON d.key = j.key WHERE j.priority = ?";

  private final Database database;

  public KeptCounts(Database database) {
    this.database = database;
  }

  private CountCategories read() {
    CountCategories categories = new CountCategories();
    database.list(
        "SELECT category, sum(change) AS count FROM @counts GROUP BY category",
        row -> {
          categories.add(row.getString("category"), row.getLong("count"));
          return row;
        });
    return categories;
  }

  public Map<JobState, Integer> jobs() {
    return read().jobs();
  }

  /**
   * @param unreadable how many jobs cannot be read, as far as this server knows
   */
  public StatusCounts statusCounts(long unreadable) {
    CountCategories categories = read();
    return categories.statusCounts(oldest(categories), unreadable);
  }

  public QueueStats queueStats() {
    CountCategories categories = read();
    return categories.queueStats(oldest(categories));
  }

  /** Among jobs of one priority, the claim order is that of their creation. */
  private Map<QueueGroup, Instant> oldest(CountCategories categories) {
    Map<QueueGroup, Instant> oldest = new HashMap<>();
    for (QueueGroup group : categories.waiting()) {
      Optional<Instant> first =
          database.first(
              OLDEST,
              row -> Times.read(row, "created_at"),
              group.type(),
              group.priority().name(),
              Long.MIN_VALUE,
              group.priority().name());
      first.ifPresent(time -> oldest.put(group, time));
    }
    return oldest;
  }

  /** Replaces the rows of each category by one; gives up if others lock them. */
  public void sumUp() {
    String sums =
        "WITH gone AS (DELETE FROM @counts RETURNING category, change)"
            + " INSERT INTO @counts (category, change) SELECT category, sum(change) FROM gone"
            + " GROUP BY category HAVING sum(change) <> 0";
    database.inTransaction(
        statements -> {
          statements.giveUpSoon();
          return statements.update(sums);
        });
  }
}
