package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Pages of jobs with tasks to claim, in claim order. If there are other servers, the jobs of a page
 * are offered to this one for a moment: others see other jobs first, so that servers seldom meet.
 * Who appends first decides. Thread-safe.
 */
final class ClaimPages {
  private static final int LEAST = 1;
  private static final int MOST = 200;

  /** The claim order. */
  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong(Entry::rank).thenComparing(Entry::sortKey);

  /** A job on a page. */
  record Entry(long key, long rank, String sortKey, long lastNumber, boolean offered) {
    JobId id() {
      return SortKeys.id(sortKey);
    }

    Position position() {
      return new Position(rank, sortKey);
    }
  }

  /** A place in the claim order. */
  record Position(long rank, String sortKey) {
    static final Position START = new Position(Long.MIN_VALUE, "");
  }

  /**
   * @param isLast whether there is no other one behind it
   */
  record Page(Position after, List<Entry> jobs, boolean isLast) {}

  /** The first jobs of each type behind a place in the claim order. */
  private static final String CANDIDATES =
      "SELECT j.key, j.rank, j.sort_key, j.last_number, j.waiting FROM unnest(?::text[]) AS t"
          + " (type) CROSS JOIN LATERAL (SELECT key, rank, sort_key, last_number, waiting FROM"
          + " @jobs WHERE claim_type = t.type AND claim_at <= ? AND (rank, sort_key) > (?, ?)";

  private static final String FREE =
      " AND (offered_until IS NULL OR offered_to = ? OR offered_until < now())";

  private static final String ORDERED =
      " ORDER BY rank, sort_key LIMIT ?%s) j ORDER BY rank, sort_key LIMIT ?";

  /** Of those, the first ones that have as many tasks together as are wanted. */
  private static final String ENOUGH =
      " enough AS (SELECT key, rank, sort_key, last_number FROM (SELECT key, rank, sort_key,"
          + " last_number, sum(waiting) OVER (ORDER BY rank, sort_key) - waiting AS before FROM"
          + " page) p WHERE before < ?)";

  /** Offers the first jobs that no other server looks at. */
  static final String OFFER =
      "WITH page AS ("
          + CANDIDATES
          + FREE
          + ORDERED.formatted(" FOR UPDATE SKIP LOCKED")
          + "),"
          + ENOUGH
          + " UPDATE @jobs j SET offered_to = ?, offered_until = now() + interval '1 second'"
          + " FROM enough WHERE j.key = enough.key"
          + " RETURNING j.key, j.rank, j.sort_key, j.last_number, true AS offered";

  /** The first jobs, whoever looks at them. */
  static final String LOOK =
      "WITH page AS ("
          + CANDIDATES
          + ORDERED.formatted("")
          + "),"
          + ENOUGH
          + " SELECT key, rank, sort_key, last_number, false AS offered FROM enough"
          + " ORDER BY rank, sort_key";

  private final Database database;
  private final LongSupplier epoch;
  private final BooleanSupplier isAlone;

  /**
   * @param epoch of this server
   * @param isAlone whether no other server claims
   */
  ClaimPages(Database database, LongSupplier epoch, BooleanSupplier isAlone) {
    this.database = database;
    this.epoch = epoch;
    this.isAlone = isAlone;
  }

  Page read(Set<String> types, Position after, int wanted, Instant now) {
    int size = Math.clamp(wanted, LEAST, MOST);
    String[] names = types.toArray(String[]::new);
    if (isAlone.getAsBoolean()) {
      List<Entry> seen = look(names, after, size, now);
      return new Page(after, seen, seen.isEmpty());
    }
    List<Entry> offered = offer(names, after, size, now);
    if (offered.size() == size) {
      return new Page(after, offered, false);
    }
    // The others are offered elsewhere, or being changed: better to meet there than to miss one.
    Map<String, Entry> all =
        look(names, after, size, now).stream()
            .collect(
                Collectors.toMap(Entry::sortKey, Function.identity(), (a, b) -> a, TreeMap::new));
    boolean none = all.isEmpty() && offered.isEmpty();
    offered.forEach(entry -> all.put(entry.sortKey(), entry));
    return new Page(after, all.values().stream().sorted(ORDER).toList(), none);
  }

  private List<Entry> offer(String[] types, Position after, int size, Instant now) {
    long own = epoch.getAsLong();
    return database
        .list(
            OFFER,
            ClaimPages::entry,
            types,
            now,
            after.rank(),
            after.sortKey(),
            own,
            size,
            size,
            size,
            own)
        .stream()
        .sorted(ORDER)
        .toList();
  }

  private List<Entry> look(String[] types, Position after, int size, Instant now) {
    return database.list(
        LOOK, ClaimPages::entry, types, now, after.rank(), after.sortKey(), size, size, size);
  }

  private static Entry entry(ResultSet row) throws SQLException {
    return new Entry(
        row.getLong("key"),
        row.getLong("rank"),
        row.getString("sort_key"),
        row.getLong("last_number"),
        row.getBoolean("offered"));
  }

  /** Takes back the offers of a page from a number on. */
  void release(Page page, int from) {
    Long[] keys =
        page.jobs().stream().skip(from).filter(Entry::offered).map(Entry::key).toArray(Long[]::new);
    if (keys.length > 0) {
      database.update(
          "UPDATE @jobs SET offered_until = NULL WHERE key IN (SELECT key FROM @jobs"
              + " WHERE key = ANY (?) AND offered_to = ? FOR UPDATE SKIP LOCKED)",
          keys,
          epoch.getAsLong());
    }
  }
}
