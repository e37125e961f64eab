package dev.millrace.core.internal.count;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.stats.StatusCounts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps the counts of a store, from the first time that they are asked for. Each change of a job
 * reports what the job adds now. A background pass reads the jobs that were there before; it never
 * replaces what a change has reported, so that it may be late but not wrong. Thread-safe.
 */
public final class StatusCountKeeper implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** Ids that are listed at once: each listing goes through all names, but ids take memory. */
  private static final int PAGE = 50_000;

  /** Jobs that are read before the pass rests as long as that took. */
  private static final int SLICE = 64;

  private static final int MAX_FOUND = 100_000;
  private static final Duration RETRY = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final StatusCounter counter = new StatusCounter();
  private final JobReader reader;
  private final Predicate<JobId> countLoaded;

  private final Threading threading;
  private final ReentrantLock lock;
  private final Condition changed;

  /** Jobs that came from elsewhere. Guarded by the lock, as are the two after it. */
  private final Queue<JobId> found = new ArrayDeque<>();

  private volatile boolean again;
  private boolean running;
  private volatile boolean started;
  private volatile boolean complete;
  private volatile boolean closed;

  /**
   * @param countLoaded counts a job with its lock held if it is in memory; false if it is not
   */
  public StatusCountKeeper(JobReader reader, Predicate<JobId> countLoaded, Threading threading) {
    this.reader = reader;
    this.countLoaded = countLoaded;
    this.threading = threading;
    this.lock = threading.newLock();
    this.changed = lock.newCondition();
  }

  /** The counts; the first call starts to count. */
  public StatusCounts counts() {
    if (!started) {
      start();
    }
    return counter.counts(complete);
  }

  private void start() {
    lock.lock();
    try {
      if (!started && !closed) {
        started = true; // before anything is read: a later change reports itself
        threading.startInBackground("millrace-count", this::run);
        running = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Call after a job was changed, with its lock held. */
  public void changed(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      put(id, counts.get());
    }
  }

  /** Call after a job was read into memory, before anyone can change it. */
  public void loaded(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      JobCounts now = counts.get();
      put(id, now);
      if (now.isEnded()) {
        removeIfGone(id);
      }
    }
  }

  /** Call after a job was submitted; a change of it may have been reported already. */
  public void submitted(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      JobCounts now = counts.get();
      orCountAgain(() -> counter.putIfAbsent(id, now));
    }
  }

  /** Call after a job was deleted, and dropped from memory. */
  public void removed(JobId id) {
    if (started) {
      orCountAgain(() -> counter.remove(id));
    }
  }

  /** Call when a job was not found: someone else may have deleted it. */
  public void missing(JobId id) {
    if (started && counter.contains(id)) {
      removeIfGone(id);
    }
  }

  /** It may have been deleted after it was read, but before it was counted. */
  private void removeIfGone(JobId id) {
    if (reader.state(id).isEmpty()) {
      orCountAgain(() -> counter.remove(id));
    }
  }

  /** Call when a job turned out to be unreadable: its state still counts. */
  public void unreadable(JobId id) {
    if (started) {
      reader.state(id).ifPresent(state -> counter.put(id, JobCounts.unreadable(state)));
    }
  }

  /** Call when what was counted of a job may be wrong. */
  public void recount(JobId id) {
    removed(id);
    discovered(id);
  }

  /** Call when a job appeared that another process submitted. */
  public void discovered(JobId id) {
    if (!started || counter.contains(id)) {
      return;
    }
    lock.lock();
    try {
      if (found.size() < MAX_FOUND) {
        found.add(id);
      } else {
        again = true; // a pass finds them without a list in memory
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      do {
        forgetFound();
        pass(EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS, JobState.PAUSED)); // first
        pass(EnumSet.of(JobState.COMPLETED, JobState.FAILED, JobState.ABORTED));
        complete = !closed && !again;
        LOG.log(Level.DEBUG, () -> "counted " + counter.sizes());
        for (Optional<JobId> id = takeFound(); id.isPresent(); id = takeFound()) {
          count(id.get());
        }
      } while (!closed);
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt; jobs from elsewhere are no longer counted");
    } finally {
      ended();
    }
  }

  /** The pass that follows finds them. */
  private void forgetFound() {
    lock.lock();
    try {
      again = false;
      found.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a job that came from elsewhere; empty if it is time for a pass, or to end. */
  private Optional<JobId> takeFound() throws InterruptedException {
    lock.lock();
    try {
      while (found.isEmpty() && !again && !closed) {
        changed.await();
      }
      return again || closed ? Optional.empty() : Optional.of(found.remove());
    } finally {
      lock.unlock();
    }
  }

  /** Waits, but not longer than until it is closed. */
  private void pause(Duration time) throws InterruptedException {
    lock.lock();
    try {
      for (long left = time.toNanos(); left > 0 && !closed; ) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void ended() {
    lock.lock();
    try {
      running = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Counts all jobs in these states that are not counted yet. */
  private void pass(Set<JobState> states) throws InterruptedException {
    JobId last = null;
    while (!closed) {
      try {
        List<JobId> page = reader.list(Query.in(states).oldest(PAGE).beyond(last));
        count(page);
        if (page.size() < PAGE) {
          return;
        }
        last = page.getLast();
      } catch (StoreException e) {
        LOG.log(Level.WARNING, "cannot count the jobs; trying again: " + e.getMessage());
        pause(RETRY);
      } catch (RuntimeException | Error e) {
        LOG.log(Level.ERROR, "cannot count the jobs; trying again", e);
        pause(RETRY);
      }
    }
  }

  private void count(List<JobId> page) throws InterruptedException {
    long start = threading.nanoTime();
    for (int i = 0; i < page.size() && !closed; i++) {
      count(page.get(i));
      if (i % SLICE == SLICE - 1) {
        pause(Duration.ofNanos(threading.nanoTime() - start)); // leave the disk to others
        start = threading.nanoTime();
      }
    }
  }

  private void count(JobId id) {
    try {
      if (counter.contains(id) || countLoaded.test(id)) {
        return;
      }
      Optional<JobCounts> read = read(id);
      if (read.isPresent()) {
        boolean[] absent = {false};
        orCountAgain(() -> absent[0] = counter.putIfAbsent(id, read.get()));
        if (absent[0]) {
          removeIfGone(id);
        }
      }
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "job " + id + " is not counted", e);
    } catch (RuntimeException | Error e) { // count the other jobs anyway
      LOG.log(Level.WARNING, "job " + id + " is not counted", e);
    }
  }

  private Optional<JobCounts> read(JobId id) {
    for (boolean again = false; ; again = true) {
      try {
        return reader.find(id).map((JobView job) -> JobCounts.of(job));
      } catch (JobException e) {
        if (again || !(e.getCause() instanceof Error)) { // else the process was unwell, not the job
          return reader.state(id).map(JobCounts::unreadable); // a damaged job has a state, too
        }
      }
    }
  }

  /** Counts a job in memory; call it with its lock held. */
  public void put(JobId id, JobCounts counts) {
    orCountAgain(() -> counter.put(id, counts));
  }

  /** Changes the counts. After an Error half of the change may be counted: all starts again. */
  private void orCountAgain(Runnable change) {
    try {
      change.run();
    } catch (Error e) {
      countAgain();
      LOG.log(Level.WARNING, "counting all jobs again", e);
    }
  }

  private void countAgain() {
    lock.lock();
    try {
      again = true;
      complete = false;
      counter.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      long left = CLOSE_TIMEOUT.toNanos();
      while (running && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (running) {
        LOG.log(Level.WARNING, "jobs are still being counted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
