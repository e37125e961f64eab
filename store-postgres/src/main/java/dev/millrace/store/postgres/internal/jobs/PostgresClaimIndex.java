package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.db.Times;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Entry;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Page;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Position;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What can be claimed, as columns of the jobs that every append keeps true. Servers read pages of it
 * in claim order. Thread-safe.
 */
final class PostgresClaimIndex implements ClaimIndex {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** How often a waiting worker looks itself, if no signal comes. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** How long a job is left alone from which nothing could be claimed. */
  private static final Duration DROPPED = Duration.ofSeconds(30);

  private static final int MOST_OVERDUE = 500;

  static final String OVERDUE =
      "SELECT sort_key FROM @jobs WHERE due_at <= ? ORDER BY due_at DESC LIMIT ?";

  static final String FIRST_BACKOFF =
      "SELECT claim_at FROM @jobs WHERE claim_at > '-infinity' ORDER BY claim_at LIMIT 1";

  static final String BACKOFF_OVER =
      "SELECT EXISTS (SELECT FROM @jobs WHERE claim_at > '-infinity' AND claim_at <= ?)";

  static final String LOST_CLAIMS =
      "SELECT sort_key FROM @jobs WHERE running_epochs IS NOT NULL AND EXISTS (SELECT"
          + " FROM unnest(running_epochs) AS e WHERE NOT EXISTS (SELECT FROM @servers s"
          + " WHERE s.epoch = e AND s.alive_until > now())) LIMIT ?";

  static final String IS_IDLE =
      "SELECT NOT EXISTS (SELECT FROM @jobs WHERE claim_type = ANY (?))"
          + " AND NOT EXISTS (SELECT FROM @jobs WHERE state <> 'PENDING' AND running_types && ?)";

  private final Database database;
  private final ProcessTimeline timeline;
  private final ClaimPages pages;
  private final ClaimFloors floors = new ClaimFloors();
  private final ClaimedRows rows;
  private final WorkSignal signal = new WorkSignal();

  /** Jobs that this server cannot claim from for now, and until when, in steady time. */
  private final Map<JobId, Instant> dropped = new ConcurrentHashMap<>();

  private volatile boolean closed;

  PostgresClaimIndex(Database database, ProcessTimeline timeline, ServerLease server) {
    this.database = database;
    this.timeline = timeline;
    this.pages = new ClaimPages(database, server::epoch, server::isAlone);
    this.rows = new ClaimedRows(database);
  }

  /** A job on a page. */
  private record Found(ClaimFloors.Search search, Page page, int number) implements Candidate {
    Entry entry() {
      return page.jobs().get(number);
    }

    @Override
    public JobId id() {
      return entry().id();
    }

    /** What comes before it in the claim order. */
    Position before() {
      return number == 0 ? page.after() : page.jobs().get(number - 1).position();
    }
  }

  /** The jobs of the pages that threads look at. */
  ClaimedRows rows() {
    return rows;
  }

  @Override
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate after) {
    return next(types, after, 1);
  }

  @Override
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate after, int wanted) {
    if (after instanceof Found last) {
      return next(last.search(), types, last.page(), last.number() + 1, wanted);
    }
    if (floors.isKnown(types) && isBackoffOver()) {
      floors.clear(); // it may be before the floor
    }
    ClaimFloors.Search search = floors.begin(types);
    Candidate first = next(search, types, read(types, search.start(), wanted), 0, wanted);
    if (first == null) {
      floors.end(search, null);
    }
    return first;
  }

  private @Nullable Candidate next(
      ClaimFloors.Search search, Set<String> types, Page from, int next, int wanted) {
    Page page = from;
    int number = next;
    boolean again = !search.start().equals(Position.START);
    while (true) {
      while (number < page.jobs().size()) {
        if (!isDropped(page.jobs().get(number).id())) {
          return new Found(search, page, number);
        }
        number++;
      }
      if (!page.isLast()) {
        page = read(types, page.jobs().getLast().position(), wanted);
      } else if (again && page.after().equals(search.start())) {
        again = false; // nothing behind the floor: there may be something before it
        floors.clear();
        page = read(types, Position.START, wanted);
      } else {
        return null;
      }
      number = 0;
    }
  }

  private boolean isBackoffOver() {
    return database.isTrue(BACKOFF_OVER, timeline.now().steady());
  }

  private boolean isDropped(JobId id) {
    Instant until = dropped.get(id);
    return until != null && (timeline.now().steady().isBefore(until) || !dropped.remove(id, until));
  }

  private Page read(Set<String> types, Position after, int wanted) {
    Page page = pages.read(types, after, wanted, timeline.now().steady());
    rows.read(page.jobs());
    return page;
  }

  @Override
  public void endRound(Candidate last) {
    Found found = (Found) last;
    floors.end(found.search(), found.before());
    rows.forget();
    try {
      pages.release(found.page(), found.number() + 1);
    } catch (StoreException e) { // the offers end by themselves
      LOG.log(Level.DEBUG, "cannot release offers", e);
    }
  }

  @Override
  public void drop(Candidate candidate) {
    dropped.put(candidate.id(), timeline.now().steady().plus(DROPPED));
  }

  @Override
  public void put(StoredJob stored) {
    PostgresJob job = (PostgresJob) stored;
    dropped.remove(job.id());
    updateTimes(job);
  }

  /** Corrects the times of a job that has not changed: those that are stored may be too early. */
  void updateTimes(PostgresJob job) {
    Instant now = timeline.now().steady();
    ChangedColumns columns = ChangedColumns.of(job, now);
    database.update(
        "UPDATE @jobs SET claim_type = ?, claim_at = ?::timestamptz, due_at = ?::timestamptz"
            + " WHERE key = ? AND version = ?",
        columns.claimType(),
        AppendStatement.claimAt(columns),
        columns.dueAt(),
        job.key(),
        job.version());
  }

  /**
   * Other times than the stored ones count now: the jobs are looked at again.
   *
   * @return some of them, to be read at once: from then on no setting of the clock changes what they
   *     wait for
   */
  List<JobId> resetTimes() {
    List<JobId> some =
        database.list(
            "(SELECT sort_key FROM @jobs WHERE claim_at > '-infinity' LIMIT ?)"
                + " UNION (SELECT sort_key FROM @jobs WHERE due_at IS NOT NULL LIMIT ?)",
            PostgresClaimIndex::id,
            MOST_OVERDUE,
            MOST_OVERDUE);
    database.update("UPDATE @jobs SET claim_at = '-infinity' WHERE claim_at > '-infinity'");
    database.update("UPDATE @jobs SET due_at = '-infinity' WHERE due_at IS NOT NULL");
    return some;
  }

  private static JobId id(ResultSet row) throws SQLException {
    return SortKeys.id(row.getString("sort_key"));
  }

  /**
   * Something was enqueued.
   *
   * @param rank where in the claim order
   */
  void raise(long rank) {
    floors.raise(rank);
    signal.raise();
  }

  void close() {
    closed = true;
    signal.raise();
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    Duration bounded = atMost.compareTo(Duration.ofDays(1)) < 0 ? atMost : Duration.ofDays(1);
    long end = System.nanoTime() + bounded.toNanos();
    while (true) {
      Duration wait = closed ? Duration.ZERO : untilNextBackoff();
      long count = signal.count();
      long left = end - System.nanoTime();
      if (count != seen || left <= 0 || closed) {
        return count;
      }
      signal.await(seen, Duration.ofNanos(Math.min(left, wait.toNanos())));
    }
  }

  /** Ends the backoffs that are over, and returns when to look again. */
  private Duration untilNextBackoff() {
    Instant now = timeline.now().steady();
    try {
      Optional<Instant> first = database.first(FIRST_BACKOFF, row -> Times.read(row, "claim_at"));
      if (first.isEmpty()) {
        return POLL;
      }
      if (!now.isBefore(first.get())) {
        database.update(
            "UPDATE @jobs SET claim_at = '-infinity' WHERE key IN (SELECT key FROM @jobs"
                + " WHERE claim_at > '-infinity' AND claim_at <= ? FOR UPDATE SKIP LOCKED)",
            now);
        raise(Long.MIN_VALUE);
        return Duration.ZERO;
      }
      Duration until = Duration.between(now, first.get());
      return until.compareTo(POLL) < 0 ? until : POLL;
    } catch (StoreException e) { // whoever claims then finds out
      return POLL;
    }
  }

  @Override
  public boolean isIdle(Set<String> types) {
    String[] all = types.toArray(String[]::new);
    return database.isTrue(IS_IDLE, all, all);
  }

  @Override
  public Collection<JobId> takeOverdue(Instant now) {
    List<JobId> overdue = new ArrayList<>(lostClaims());
    // those last whose times are not known: a new server finds many of them
    overdue.addAll(database.list(OVERDUE, PostgresClaimIndex::id, now, MOST_OVERDUE));
    return overdue;
  }

  /** Jobs of which a server had tasks that is gone. */
  List<JobId> lostClaims() {
    return database.list(LOST_CLAIMS, PostgresClaimIndex::id, MOST_OVERDUE);
  }

  /** Jobs that have changed since then. */
  List<JobId> changedSince(Instant time) {
    return database.list(
        "SELECT sort_key FROM @jobs WHERE updated_at >= ?"
            + " UNION ALL SELECT sort_key FROM @ended_jobs WHERE ended_at >= ?",
        PostgresClaimIndex::id,
        time,
        time);
  }

  @Override
  public void notDue(StoredJob job) {
    updateTimes((PostgresJob) job);
  }

  /** It was not taken out. */
  @Override
  public void keepOverdue(JobId id, Instant now) {}
}
