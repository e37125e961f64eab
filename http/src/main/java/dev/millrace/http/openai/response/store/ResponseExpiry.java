package dev.millrace.http.openai.response.store;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessTimeline;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Deletes ended responses that are older than the server keeps them. A sweep looks at a bounded
 * number of jobs, oldest first, and the next one continues behind them; jobs that are not responses
 * stay.
 */
public final class ResponseExpiry implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** The most jobs that one sweep looks at. */
  static final int MAX_JOBS = 500;

  private static final Set<JobState> ENDED =
      Arrays.stream(JobState.values()).filter(JobState::isFinal).collect(Collectors.toSet());

  private final JobStore store;
  private final Duration keep;
  private final ProcessTimeline timeline;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread thread; // written once, before others may see this
  private @Nullable JobId last; // where the last sweep ended; used by one thread at a time

  ResponseExpiry(JobStore store, Duration keep, Clock clock) {
    this.store = store;
    this.keep = keep;
    this.timeline = new ProcessTimeline(clock);
  }

  /**
   * Starts to sweep in the background.
   *
   * @param keep how long a response is kept after it was made
   */
  public static ResponseExpiry start(JobStore store, Duration keep) {
    ResponseExpiry expiry = new ResponseExpiry(store, keep, Clock.systemUTC());
    expiry.thread = MonitoredThreads.service("millrace-responses").start(expiry::run);
    return expiry;
  }

  private void run() {
    try {
      while (!closed.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
        sweepSafely();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt: expired responses are no longer deleted");
    }
  }

  private void sweepSafely() {
    try {
      sweep();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "expired responses are not deleted now", e); // the store said why
    } catch (RuntimeException | Error e) { // the thread must go on
      LOG.log(Level.WARNING, "expired responses are not deleted now", e);
    }
  }

  /**
   * Looks at the next jobs.
   *
   * @return how many responses it deleted
   */
  int sweep() {
    List<JobId> jobs = store.list(Query.in(ENDED).oldest(MAX_JOBS).beyond(last));
    int deleted = 0;
    for (JobId job : jobs) {
      if (!isOld(job) || closed.getCount() == 0) {
        last = null; // all that follow are younger
        return deleted;
      }
      deleted += deleteIfResponse(job) ? 1 : 0;
      last = job;
    }
    last = jobs.size() < MAX_JOBS ? null : last;
    return deleted;
  }

  /** The time in a job's id is when it was made. */
  private boolean isOld(JobId job) {
    Instant made = Instant.ofEpochMilli(job.micros() / 1_000);
    return !timeline.now().steady().isBefore(timeline.submitted(made).plus(keep));
  }

  private boolean deleteIfResponse(JobId job) {
    Optional<JobView> view = store.find(job);
    return view.isPresent()
        && StoredResponse.of(view.get().header()).isPresent()
        && store.delete(job).isDone();
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      if (thread != null && !thread.join(CLOSE_TIMEOUT)) {
        LOG.log(Level.WARNING, "expired responses are still being deleted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
