package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Pages of jobs with tasks to claim, in claim order. The jobs of a page are offered to this server
 * for a moment: others see other jobs first, so that servers seldom meet. Who appends first decides.
 * Thread-safe.
 */
final class ClaimPages {
  private static final int LEAST = 1;
  private static final int MOST = 200;

  /** The claim order. */
  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong(Entry::rank).thenComparing(Entry::sortKey);

  /** A job on a page. */
  record Entry(JobId id, long key, long rank, String sortKey, boolean offered) {}

  /**
   * @param isLast whether there is no other one behind it
   */
  record Page(List<Entry> jobs, boolean isLast) {}

  /** The first jobs of each type behind a place in the claim order. */
  private static final String CANDIDATES =
      "SELECT j.key, j.rank, j.sort_key FROM unnest(?::text[]) AS t (type) CROSS JOIN LATERAL"
          + " (SELECT key, rank, sort_key FROM @jobs WHERE claim_type = t.type AND claim_at <= ?"
          + " AND (rank, sort_key) > (?, ?)";

  private static final String FREE =
      " AND (offered_until IS NULL OR offered_to = ? OR offered_until < now())";

  /** Offers the first jobs that no other server looks at. */
  static final String OFFER =
      "WITH page AS ("
          + CANDIDATES
          + FREE
          + " ORDER BY rank, sort_key LIMIT ? FOR UPDATE SKIP LOCKED) j"
          + " ORDER BY rank, sort_key LIMIT ?)"
          + " UPDATE @jobs j SET offered_to = ?, offered_until = now() + interval '1 second'"
          + " FROM page WHERE j.key = page.key"
          + " RETURNING j.id, j.key, j.rank, j.sort_key, true AS offered";

  private final Database database;
  private final long epoch;

  ClaimPages(Database database, long epoch) {
    this.database = database;
    this.epoch = epoch;
  }

  Page read(Set<String> types, @Nullable Page after, int wanted, Instant now) {
    int size = Math.clamp(wanted, LEAST, MOST);
    Entry last = after == null ? null : after.jobs().getLast();
    String[] names = types.toArray(String[]::new);
    long rank = last == null ? Long.MIN_VALUE : last.rank();
    String sortKey = last == null ? "" : last.sortKey();
    List<Entry> offered = offer(names, rank, sortKey, size, now);
    if (offered.size() == size) {
      return new Page(offered, false);
    }
    // The others are offered elsewhere, or being changed: better to meet there than to miss one.
    Map<JobId, Entry> all =
        look(names, rank, sortKey, size, now).stream()
            .collect(Collectors.toMap(Entry::id, Function.identity(), (a, b) -> a, TreeMap::new));
    boolean more = all.size() == size;
    offered.forEach(entry -> all.put(entry.id(), entry));
    return new Page(all.values().stream().sorted(ORDER).toList(), !more);
  }

  private List<Entry> offer(String[] types, long rank, String sortKey, int size, Instant now) {
    return database
        .list(OFFER, ClaimPages::entry, types, now, rank, sortKey, epoch, size, size, epoch)
        .stream()
        .sorted(ORDER)
        .toList();
  }

  private List<Entry> look(String[] types, long rank, String sortKey, int size, Instant now) {
    return database.list(
        "WITH page AS ("
            + CANDIDATES
            + " ORDER BY rank, sort_key LIMIT ?) j ORDER BY rank, sort_key LIMIT ?)"
            + " SELECT j.id, j.key, j.rank, j.sort_key, false AS offered FROM page"
            + " JOIN @jobs j ON j.key = page.key ORDER BY j.rank, j.sort_key",
        ClaimPages::entry,
        types,
        now,
        rank,
        sortKey,
        size,
        size);
  }

  private static Entry entry(ResultSet row) throws SQLException {
    return new Entry(
        new JobId(row.getString("id")),
        row.getLong("key"),
        row.getLong("rank"),
        row.getString("sort_key"),
        row.getBoolean("offered"));
  }

  /** Takes back the offers of a page from a number on. */
  void release(Page page, int from) {
    Long[] keys =
        page.jobs().stream().skip(from).filter(Entry::offered).map(Entry::key).toArray(Long[]::new);
    if (keys.length > 0) {
      database.update(
          "UPDATE @jobs SET offered_until = NULL WHERE key = ANY (?) AND offered_to = ?",
          keys,
          epoch);
    }
  }
}
