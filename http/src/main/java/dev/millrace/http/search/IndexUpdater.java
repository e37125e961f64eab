package dev.millrace.http.search;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Subscription;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the index on a thread of its own, from the first search until nobody has searched for a
 * while. Jobs that changed come before jobs that are not read yet, of which the newest come first.
 * After each few reads it rests as long as they took, so that claims have the store to themselves
 * half of the time. Thread-safe. Close it before the store.
 */
final class IndexUpdater implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.server");

  /** Jobs that are read before it rests. */
  private static final int SLICE = 32;

  /** Changed jobs whose ids are kept; beyond that, all are listed and read again. */
  private static final int MAX_CHANGED = 100_000;

  /**
   * @param gather how long changes of one job are gathered before it is read
   * @param list how often jobs are listed, for those that came or went unseen: by hand in a
   *     directory, or deleted by another server of a shared store
   * @param idle how long the index stays without a search
   */
  record Intervals(Duration gather, Duration list, Duration idle) {
    static Intervals of(JobStore store) {
      Duration list = store.isShared() ? Duration.ofSeconds(5) : Duration.ofMinutes(1);
      return new Intervals(Duration.ofMillis(100), list, Duration.ofMinutes(30));
    }
  }

  /** A listing counts at least so many times as long as it took. */
  private static final int LIST_FACTOR = 50;

  /** How long it waits for a store that fails. */
  private static final long STORE_PAUSE = Duration.ofMillis(500).toNanos();

  private final JobStore store;
  private final JobIndex index;
  private final Intervals intervals;
  private final int most;
  private final IndexedJobReader reader;
  private final Subscription changes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition signal = lock.newCondition();

  /** Jobs that changed since they were read. Guarded by the lock, as all that follows. */
  private final Set<JobId> changed = new LinkedHashSet<>();

  private boolean overflow; // some changed ids were dropped
  private boolean running;
  private boolean closed;
  private long lastSearch;
  private volatile boolean started;
  private volatile boolean filled; // every listed job is read
  private volatile int toRead;

  /** Jobs to be read, the newest first; only its thread uses this and what follows. */
  private final Queue<JobId> unread = new ArrayDeque<>();

  private long nextListing;
  private boolean listed; // the last listing succeeded
  private boolean failing; // the store, in this round

  IndexUpdater(JobStore store, JobIndex index, int most, Intervals intervals) {
    this.store = store;
    this.index = index;
    this.most = most;
    this.intervals = intervals;
    this.reader = new IndexedJobReader(store);
    this.changes = store.onChange(this::changed);
  }

  /** Call with each search: the first one starts it. */
  void searched() {
    lock.lock();
    try {
      lastSearch = System.nanoTime();
      if (!running && !closed) {
        running = true;
        started = true; // before anything is read: a later change is noted
        MonitoredThreads.work().name("millrace-search").start(this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether all jobs that there are have been read. */
  boolean isFilled() {
    return filled;
  }

  /** How many jobs there are, as far as it knows. */
  long known() {
    return index.size() + toRead + index.leftOut();
  }

  private void changed(JobId id) {
    if (!started) {
      return;
    }
    lock.lock();
    try {
      if (changed.size() < MAX_CHANGED) {
        changed.add(id);
      } else {
        overflow = true;
      }
      signal.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (list()) {
        if (!followUntilNextListing()) {
          break;
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt; the next search fills its index again");
    } finally {
      ended();
    }
  }

  private void ended() {
    lock.lock();
    try {
      running = false;
      started = false;
      filled = false;
      toRead = 0;
      changed.clear();
      unread.clear();
      reader.forget();
      index.clear();
      signal.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lists all jobs, to read those that are new and drop those that are gone. */
  private boolean list() throws InterruptedException {
    long start = System.nanoTime();
    boolean again = takeOverflow();
    listed = false;
    try {
      List<JobId> all = store.list(Query.all().newest(Integer.MAX_VALUE));
      List<JobId> newest = all.subList(Math.max(0, all.size() - most), all.size());
      index.countLeftOut(all.size() - newest.size());
      index.retain(new HashSet<>(newest));
      unread.clear();
      for (JobId id : newest.reversed()) {
        if (again || index.find(id) == null) {
          unread.add(id);
        }
      }
      listed = true;
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "cannot list the jobs for searches; trying again", e);
    }
    toRead = unread.size();
    long end = System.nanoTime();
    long rest = Math.max(intervals.list().toNanos(), LIST_FACTOR * (end - start));
    nextListing = end + (listed ? rest : STORE_PAUSE);
    return !isOver();
  }

  private boolean takeOverflow() {
    lock.lock();
    try {
      boolean was = overflow;
      overflow = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is closed, or nobody searches any more. */
  private boolean isOver() {
    lock.lock();
    try {
      return closed || System.nanoTime() - lastSearch > intervals.idle().toNanos();
    } finally {
      lock.unlock();
    }
  }

  /** Returns false when it is over. */
  private boolean followUntilNextListing() throws InterruptedException {
    while (!unread.isEmpty() || System.nanoTime() - nextListing < 0) {
      if (isOver()) {
        return false;
      }
      failing = false;
      long start = System.nanoTime();
      boolean more = readChanged(); // of either kind some: a busy store must not keep the rest away
      for (int i = 0; i < SLICE && !failing && !unread.isEmpty(); i++) {
        read(unread.remove());
      }
      toRead = unread.size();
      filled = listed && unread.isEmpty();
      long least = failing ? STORE_PAUSE : filled && !more ? intervals.gather().toNanos() : 0;
      await(Math.max(System.nanoTime() - start, least));
    }
    return true;
  }

  /** Rests; then, if there is nothing to do, waits for a change. */
  private void await(long rest) throws InterruptedException {
    lock.lock();
    try {
      for (long left = rest; left > 0 && !closed; ) {
        left = signal.awaitNanos(left);
      }
      long left = Math.min(nextListing - System.nanoTime(), intervals.idle().toNanos());
      while (unread.isEmpty() && changed.isEmpty() && !overflow && !closed && left > 0) {
        left = signal.awaitNanos(left);
      }
      if (overflow) {
        nextListing = System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there may be more of them. */
  private boolean readChanged() {
    List<JobId> some = takeChanged();
    some.forEach(this::read);
    return some.size() == SLICE;
  }

  private List<JobId> takeChanged() {
    lock.lock();
    try {
      List<JobId> some = changed.stream().limit(closed ? 0 : SLICE).toList();
      Iterator<JobId> first = changed.iterator();
      for (int i = 0; i < some.size(); i++) {
        first.next();
        first.remove(); // before it is read: a later change is noted again
      }
      return some;
    } finally {
      lock.unlock();
    }
  }

  private void read(JobId id) {
    try {
      reader.read(id, index.find(id)).ifPresentOrElse(index::put, () -> index.remove(id));
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "job " + id + " is not read for searches", e);
      if (e.trouble() != null) { // of the whole store: what is known of the job is old
        unread.add(id);
        failing = true;
      }
    } catch (RuntimeException | Error e) { // the other jobs can be found anyway
      LOG.log(Level.WARNING, "job " + id + " is not read for searches", e);
    }
  }

  /** Ends its thread, which may be reading. */
  @Override
  public void close() {
    changes.close();
    lock.lock();
    try {
      closed = true;
      signal.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
