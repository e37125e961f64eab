package dev.millrace.cli.serve;

import dev.millrace.cli.terminal.DurationText;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.openai.response.store.StoredResponse;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deletes jobs that ended longer ago than a server retains them, and says how many. Stored
 * responses of OpenAI's API stay: they have an age of their own.
 */
final class JobRetention implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final Duration INTERVAL = Duration.ofMinutes(10);
  private static final int PAGE = 1_000;

  private static final Set<JobState> ENDED =
      Arrays.stream(JobState.values()).filter(JobState::isFinal).collect(Collectors.toSet());

  private final JobStore store;
  private final Duration retain;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);

  JobRetention(JobStore store, Duration retain, InstantSource clock) {
    this.store = store;
    this.retain = retain;
    this.clock = clock;
  }

  /** Starts to delete in the background; null if all jobs are kept. */
  static @Nullable JobRetention start(JobStore store, @Nullable Duration retain) {
    if (retain == null) {
      return null;
    }
    JobRetention retention = new JobRetention(store, retain, InstantSource.system());
    MonitoredThreads.service("millrace-retain").start(retention::run);
    return retention;
  }

  private void run() {
    try {
      do {
        sweepSafely();
      } while (!closed.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt: old jobs are no longer deleted");
    }
  }

  private void sweepSafely() {
    try {
      sweep();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "old jobs are not deleted now", e); // the store said why, or is closed
    } catch (RuntimeException | Error e) { // the thread must go on
      LOG.log(Level.WARNING, "old jobs are not deleted now", e);
    }
  }

  /**
   * Deletes what is too old.
   *
   * @return how many jobs
   */
  int sweep() {
    Instant before = clock.instant().minus(retain);
    int deleted = 0;
    JobId last = null;
    List<JobId> page;
    do {
      page = store.list(Query.in(ENDED).oldest(PAGE).beyond(last));
      for (JobId id : page) {
        if (madeAt(id).isAfter(before) || closed.getCount() == 0) {
          return logged(deleted); // all that follow were made later, and ended later still
        }
        deleted += isOver(id, before) && store.delete(id).isDone() ? 1 : 0;
        last = id;
      }
    } while (page.size() == PAGE);
    return logged(deleted);
  }

  private static Instant madeAt(JobId id) {
    return Instant.ofEpochMilli(id.micros() / 1_000);
  }

  private boolean isOver(JobId id, Instant before) {
    try {
      JobView view = store.find(id).orElse(null);
      return view != null
          && view.completedAt() != null
          && view.completedAt().isBefore(before)
          && StoredResponse.of(view.header()).isEmpty();
    } catch (JobException e) {
      return false; // it cannot be read: a person decides
    }
  }

  private int logged(int deleted) {
    if (deleted > 0) {
      LOG.log(
          Level.INFO,
          "deleted "
              + deleted
              + (deleted == 1 ? " job" : " jobs")
              + " that ended more than "
              + DurationText.of(retain)
              + " ago (--retain)");
    }
    return deleted;
  }

  /** Does not wait: closing the store waits for a deletion under way. */
  @Override
  public void close() {
    closed.countDown();
  }
}
