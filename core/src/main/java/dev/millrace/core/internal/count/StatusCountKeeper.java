package dev.millrace.core.internal.count;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StatusCounts;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /** Jobs that came from elsewhere; an empty one ends the thread. */
  private final BlockingQueue<Optional<JobId>> found = new LinkedBlockingQueue<>();

  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean started;
  private volatile boolean complete;
  private volatile boolean again;
  private @Nullable Thread thread;

  /**
   * @param countLoaded counts a job with its lock held if it is in memory; false if it is not
   */
  public StatusCountKeeper(JobReader reader, Predicate<JobId> countLoaded) {
    this.reader = reader;
    this.countLoaded = countLoaded;
  }

  /** The counts; the first call starts to count. */
  public StatusCounts counts() {
    if (!started) {
      start();
    }
    return counter.counts(complete);
  }

  private synchronized void start() {
    if (!started && closed.getCount() > 0) {
      started = true; // before anything is read: a later change reports itself
      thread = Thread.ofPlatform().daemon().name("millrace-count").unstarted(this::run);
      thread.setPriority(Thread.MIN_PRIORITY);
      thread.start();
    }
  }

  /** Call after a job was changed, with its lock held. */
  public void changed(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      counter.put(id, counts.get());
    }
  }

  /** Call after a job was read into memory, before anyone can change it. */
  public void loaded(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      JobCounts now = counts.get();
      counter.put(id, now);
      if (now.isEnded()) {
        removeIfGone(id);
      }
    }
  }

  /** Call after a job was submitted; a change of it may have been reported already. */
  public void submitted(JobId id, Supplier<JobCounts> counts) {
    if (started) {
      counter.putIfAbsent(id, counts.get());
    }
  }

  /** Call after a job was deleted, and dropped from memory. */
  public void removed(JobId id) {
    if (started) {
      counter.remove(id);
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
      counter.remove(id);
    }
  }

  /** Call when a job appeared that another process submitted. */
  public void discovered(JobId id) {
    if (!started || counter.contains(id)) {
      return;
    }
    if (found.size() < MAX_FOUND) {
      found.add(Optional.of(id));
    } else {
      again = true; // a pass finds them without a list in memory
    }
  }

  private void run() {
    try {
      do {
        again = false;
        found.removeIf(Optional::isPresent); // the pass finds them
        pass(EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS, JobState.PAUSED)); // first
        pass(EnumSet.of(JobState.COMPLETED, JobState.FAILED, JobState.ABORTED));
        complete = !isClosed();
        LOG.log(Level.DEBUG, () -> "counted " + counter.sizes());
        for (Optional<JobId> id = found.take(); !again && id.isPresent(); id = found.take()) {
          count(id.get());
        }
      } while (!isClosed());
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt; jobs from elsewhere are no longer counted");
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Counts all jobs in these states that are not counted yet. */
  private void pass(Set<JobState> states) throws InterruptedException {
    JobId last = null;
    while (!isClosed()) {
      try {
        List<JobId> page = reader.list(Query.in(states).oldest(PAGE).beyond(last));
        count(page);
        if (page.size() < PAGE) {
          return;
        }
        last = page.getLast();
      } catch (StoreException e) {
        LOG.log(Level.WARNING, "cannot count the jobs; trying again: " + e.getMessage());
        closed.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "cannot count the jobs; trying again", e);
        closed.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
      }
    }
  }

  private void count(List<JobId> page) throws InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < page.size() && !isClosed(); i++) {
      count(page.get(i));
      if (i % SLICE == SLICE - 1) {
        closed.await(System.nanoTime() - start, TimeUnit.NANOSECONDS); // leave the disk to others
        start = System.nanoTime();
      }
    }
  }

  private void count(JobId id) {
    try {
      if (counter.contains(id) || countLoaded.test(id)) {
        return;
      }
      Optional<JobCounts> read = read(id);
      if (read.isPresent() && counter.putIfAbsent(id, read.get())) {
        removeIfGone(id);
      }
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "job " + id + " is not counted", e);
    } catch (RuntimeException | Error e) { // count the other jobs anyway
      LOG.log(Level.WARNING, "job " + id + " is not counted", e);
    }
  }

  private Optional<JobCounts> read(JobId id) {
    try {
      return reader.find(id).map((JobView job) -> JobCounts.of(job));
    } catch (JobException e) {
      return reader.state(id).map(JobCounts::unreadable); // a damaged job has a state, too
    }
  }

  /** Counts a job in memory; call it with its lock held. */
  public void put(JobId id, JobCounts counts) {
    counter.put(id, counts);
  }

  @Override
  public void close() {
    Thread last;
    synchronized (this) {
      closed.countDown();
      last = thread;
    }
    found.add(Optional.empty());
    try {
      if (last != null && last != Thread.currentThread() && !last.join(CLOSE_TIMEOUT)) {
        LOG.log(Level.WARNING, "jobs are still being counted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
