package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes durable, many at once. Changes commit without waiting for the disk. One later
 * transaction that does wait makes them all durable, because the database writes its log in order;
 * threads that wait share it. The same transaction tells the other servers what has changed.
 *
 * <p>A crash of the database may lose what was not flushed. It empties the table {@code
 * incarnation}; so a change and the flush after it must see the same row there. Thread-safe.
 */
public final class CommitFlusher {
  /** The rank of what enqueues nothing. */
  public static final long NO_WORK = Long.MAX_VALUE;

  /** Tells the other servers what has changed. */
  public static final String TELL =
      "INSERT INTO @changes (server, lane, number, jobs, work_rank) VALUES (?, ?, ?, ?, ?)"
          + " RETURNING 1";

  /** Lets a transaction wait for the disk, also where that is not the default, and notify others. */
  public static final String WAIT =
      "CASE current_setting('synchronous_commit') WHEN 'off'"
          + " THEN set_config('synchronous_commit', 'on', true) END, pg_notify(?, ?)";

  private static final int MOST_RANGES = 1_000;

  /** Commits from {@code first} to {@code last} that a crash of the database may have taken. */
  private record Lost(long first, long last) {}

  private final Database database;
  private final long epoch;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition flushed = lock.newCondition();
  private final List<Lost> lost = new ArrayList<>(); // guarded by the lock, as all that follows
  private Set<String> jobs = new LinkedHashSet<>();
  private long workRank = NO_WORK;
  private boolean flushing;
  private long last = 1; // 0 is no commit
  private long number;
  private volatile long durable = 1;
  private volatile long incarnation;

  public CommitFlusher(Database database, long epoch) {
    this.database = database;
    this.epoch = epoch;
    this.incarnation = presentIncarnation();
  }

  /** The database as it has run without a crash; another number after one. */
  public long incarnation() {
    return incarnation;
  }

  /**
   * Counts a change that is committed and not yet durable.
   *
   * @param job that was changed
   * @param rank where it is in the claim order, if it may have more to claim; or {@link #NO_WORK}
   * @param seenIncarnation of the database in the transaction of the change; 0 if it had none
   * @return the number of the commit
   */
  public long committed(JobId job, long rank, long seenIncarnation) {
    return committed(List.of(job), rank, seenIncarnation);
  }

  /** As {@link #committed(JobId, long, long)}, for the changes of one transaction. */
  public long committed(Collection<JobId> changed, long rank, long seenIncarnation) {
    lock.lock();
    try {
      last++;
      if (seenIncarnation != incarnation) {
        addLost(last, last);
      }
      for (JobId job : changed) {
        jobs.add(job.value());
      }
      workRank = Math.min(workRank, rank);
      return last;
    } finally {
      lock.unlock();
    }
  }

  public long lastDurable() {
    return durable;
  }

  /** Returns when that commit and all earlier ones are durable. */
  public void await(long commit) {
    if (commit == 0) {
      return;
    }
    lock.lock();
    try {
      while (durable < commit) {
        if (flushing) {
          flushed.awaitUninterruptibly();
        } else {
          flush();
        }
      }
      requireKept(commit);
    } finally {
      lock.unlock();
    }
  }

  /** Returns when everything is durable that was committed so far. */
  public void awaitAll() {
    lock.lock();
    long all = last;
    lock.unlock();
    await(all);
  }

  private void requireKept(long commit) {
    if (isLost(commit)) {
      throw new StoreException(
          "the database has crashed before a change was durable, and may have lost it; try again",
          null,
          Trouble.FAILING);
    }
  }

  private boolean isLost(long commit) {
    return lost.stream().anyMatch(range -> range.first() <= commit && commit <= range.last());
  }

  /** Flushes without the lock, as the only thread that does. */
  private void flush() {
    Set<String> changed = jobs;
    long work = workRank;
    long upTo = last;
    jobs = new LinkedHashSet<>();
    workRank = NO_WORK;
    flushing = true;
    number++;
    boolean done = false;
    lock.unlock();
    long seen = 0;
    try {
      seen = write(changed, work);
      done = true;
    } finally {
      lock.lock();
      flushing = false;
      flushed.signalAll();
      if (done) {
        flushed(upTo, seen);
      } else {
        jobs.addAll(changed); // the next flush has to tell of them
        workRank = Math.min(workRank, work);
      }
    }
  }

  private void flushed(long upTo, long seen) {
    checkIncarnation(seen);
    durable = Math.max(durable, upTo);
  }

  /** Asks whether the database has crashed, before anybody changes something. */
  public void observe() {
    long seen = presentIncarnation();
    lock.lock();
    try {
      checkIncarnation(seen);
    } finally {
      lock.unlock();
    }
  }

  /** After a crash, everything counts as lost that was not flushed, whoever notices it first. */
  private void checkIncarnation(long seen) {
    if (seen != incarnation) {
      addLost(durable + 1, last);
      incarnation = seen;
    }
  }

  /** The last commit before a transaction that waits for the disk; call it before that begins. */
  public long lastCommit() {
    lock.lock();
    try {
      return last;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A transaction has waited for the disk: it is durable, and everything before it.
   *
   * @param before the {@link #lastCommit} before it began
   * @param seenIncarnation of the database in that transaction
   * @return a commit to wait for
   */
  public long synced(long before, long seenIncarnation) {
    long seen = seenIncarnation == 0 ? presentIncarnation() : seenIncarnation;
    lock.lock();
    try {
      if (seen != incarnation) {
        checkIncarnation(seen);
        return ++last; // behind those that may be lost
      }
      durable = Math.max(durable, before);
      flushed.signalAll();
      return isLost(before) ? ++last : before; // that was another change's
    } finally {
      lock.unlock();
    }
  }

  private void addLost(long first, long to) {
    if (lost.size() == MOST_RANGES) {
      lost.removeFirst();
    }
    lost.add(new Lost(first, to));
  }

  /** One transaction that waits for the disk, also where the database's default is not to. */
  private long write(Set<String> changed, long work) {
    return database
        .first(
            "WITH told AS ("
                + TELL
                + ") SELECT (SELECT id FROM @incarnation) AS incarnation, "
                + WAIT
                + " FROM told",
            row -> row.getLong("incarnation"),
            Stream.concat(
                    Arrays.stream(told(0, number, changed.toArray(String[]::new), work)),
                    Arrays.stream(notification()))
                .toArray())
        .filter(id -> id != 0)
        .orElseGet(this::presentIncarnation);
  }

  /**
   * The values of {@link #TELL}.
   *
   * @param lane whose transactions follow each other; 0 is that of flushes
   * @param change its number in the lane
   * @param work as the rank of {@link #committed}
   */
  public @Nullable Object[] told(int lane, long change, String[] changed, long work) {
    return new @Nullable Object[] {epoch, lane, change, changed, work == NO_WORK ? null : work};
  }

  /** The values of {@link #WAIT}: who notifies, so that a server need not listen to itself. */
  public Object[] notification() {
    return new Object[] {channel(database), Long.toString(epoch)};
  }

  /** Where servers of the schema notify each other. */
  static String channel(Database database) {
    return "millrace_" + database.settings().schema();
  }

  private long presentIncarnation() {
    database.update(
        "INSERT INTO @incarnation (id) VALUES (?) ON CONFLICT DO NOTHING",
        1 + new Random().nextLong(Long.MAX_VALUE - 1));
    return database.first("SELECT id FROM @incarnation", row -> row.getLong(1)).orElseThrow();
  }
}
