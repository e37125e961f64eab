package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Times;
import dev.millrace.store.postgres.internal.jobs.ClaimPages.Page;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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

  private final Database database;
  private final ProcessTimeline timeline;
  private final ClaimPages pages;
  private final WorkSignal signal = new WorkSignal();

  /** Jobs that this server cannot claim from for now, and until when, in steady time. */
  private final Map<JobId, Instant> dropped = new ConcurrentHashMap<>();

  private volatile boolean closed;

  PostgresClaimIndex(Database database, ProcessTimeline timeline, long epoch) {
    this.database = database;
    this.timeline = timeline;
    this.pages = new ClaimPages(database, epoch);
  }

  /** A job on a page. */
  private record Found(Page page, int number, Set<String> types) implements Candidate {
    @Override
    public JobId id() {
      return page.jobs().get(number).id();
    }
  }

  @Override
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate after) {
    return next(types, after, 1);
  }

  @Override
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate after, int wanted) {
    Found last = (Found) after;
    Page page = last == null ? read(types, null, wanted) : last.page();
    int number = last == null ? 0 : last.number() + 1;
    while (true) {
      while (number < page.jobs().size()) {
        if (!isDropped(page.jobs().get(number).id())) {
          return new Found(page, number, types);
        }
        number++;
      }
      if (page.isLast()) {
        return null;
      }
      page = read(types, page, wanted);
      number = 0;
    }
  }

  private boolean isDropped(JobId id) {
    Instant until = dropped.get(id);
    return until != null && (timeline.now().steady().isBefore(until) || !dropped.remove(id, until));
  }

  private Page read(Set<String> types, @Nullable Page after, int wanted) {
    return pages.read(types, after, wanted, timeline.now().steady());
  }

  @Override
  public void endRound(Candidate last) {
    Found found = (Found) last;
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
        "UPDATE @jobs SET claim_type = ?, claim_at = CASE WHEN ?::text IS NULL THEN NULL"
            + " ELSE coalesce(?::timestamptz, '-infinity') END, due_at = ?::timestamptz"
            + " WHERE key = ? AND version = ?",
        columns.claimType(),
        columns.claimType(),
        columns.claimAt(),
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
            "(SELECT id FROM @jobs WHERE claim_at > '-infinity' LIMIT ?)"
                + " UNION (SELECT id FROM @jobs WHERE due_at IS NOT NULL LIMIT ?)",
            row -> new JobId(row.getString("id")),
            MOST_OVERDUE,
            MOST_OVERDUE);
    database.update("UPDATE @jobs SET claim_at = '-infinity' WHERE claim_at > '-infinity'");
    database.update("UPDATE @jobs SET due_at = '-infinity' WHERE due_at IS NOT NULL");
    return some;
  }

  void raise() {
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
      Optional<Instant> first =
          database.first(
              "SELECT claim_at FROM @jobs WHERE claim_at > '-infinity' ORDER BY claim_at LIMIT 1",
              row -> Times.read(row, "claim_at"));
      if (first.isEmpty()) {
        return POLL;
      }
      if (!now.isBefore(first.get())) {
        database.update(
            "UPDATE @jobs SET claim_at = '-infinity'"
                + " WHERE claim_at > '-infinity' AND claim_at <= ?",
            now);
        signal.raise();
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
    return database.isTrue(
        "SELECT NOT EXISTS (SELECT FROM @jobs WHERE claim_type = ANY (?))"
            + " AND NOT EXISTS (SELECT FROM @jobs WHERE running_types && ?"
            + " AND running_types IS NOT NULL)",
        all,
        all);
  }

  @Override
  public Collection<JobId> takeOverdue(Instant now) {
    List<JobId> overdue = new ArrayList<>(lostClaims());
    // those last whose times are not known: a new server finds many of them
    overdue.addAll(
        database.list(
            "SELECT id FROM @jobs WHERE due_at <= ? ORDER BY due_at DESC LIMIT ?",
            row -> new JobId(row.getString("id")),
            now,
            MOST_OVERDUE));
    return overdue;
  }

  /** Jobs of which a server had tasks that is gone. */
  List<JobId> lostClaims() {
    return database.list(
        "SELECT id FROM @jobs WHERE running_types IS NOT NULL AND EXISTS (SELECT"
            + " FROM unnest(running_epochs) AS e WHERE NOT EXISTS (SELECT FROM @servers s"
            + " WHERE s.epoch = e AND s.alive_until > now())) LIMIT ?",
        row -> new JobId(row.getString("id")),
        MOST_OVERDUE);
  }

  @Override
  public void notDue(StoredJob job) {
    updateTimes((PostgresJob) job);
  }

  /** It was not taken out. */
  @Override
  public void keepOverdue(JobId id, Instant now) {}
}
