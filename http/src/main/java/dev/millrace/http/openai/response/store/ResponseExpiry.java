package dev.millrace.http.openai.response.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.Moment;
import dev.millrace.core.time.ProcessTimeline;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Deletes responses that are older than the server keeps them; one that has not ended is cancelled
 * before. The time counts from when a response was made, as with OpenAI. Jobs that are not
 * responses stay, and are looked at once only, however many there are.
 */
public final class ResponseExpiry implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration INTERVAL = Duration.ofMinutes(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** The most responses that are listed at once. */
  static final int PAGE = 100;

  private static final Cause EXPIRED = Cause.system("the response has expired");

  private final JobStore store;
  private final ResponseStore responses;
  private final Duration keep;
  private final ProcessTimeline timeline;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread thread; // written once, before others may see this
  private @Nullable JobId last; // all up to this one are done; used by one thread at a time

  ResponseExpiry(JobStore store, ResponseStore responses, Duration keep, Clock clock) {
    this.store = store;
    this.responses = responses;
    this.keep = keep;
    this.timeline = new ProcessTimeline(clock);
  }

  /**
   * Starts to sweep in the background.
   *
   * @param keep how long a response is kept after it was made
   */
  public static ResponseExpiry start(JobStore store, ResponseStore responses, Duration keep) {
    ResponseExpiry expiry = new ResponseExpiry(store, responses, keep, Clock.systemUTC());
    expiry.thread = MonitoredThreads.service("millrace-responses").start(expiry::run);
    return expiry;
  }

  private void run() {
    try {
      do {
        sweepSafely();
      } while (!closed.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS));
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
   * Deletes all responses that are too old now.
   *
   * @return how many it deleted
   */
  int sweep() {
    Moment now = timeline.now();
    Instant latest = now.wall().isAfter(now.steady()) ? now.wall() : now.steady();
    Query old = Query.all().tagged(ResponseStore.TAG).oldest(PAGE).until(latest.minus(keep));
    int deleted = 0;
    List<JobId> page;
    do {
      page = store.list(old.beyond(last));
      for (JobId job : page) {
        if (!isOld(job) || closed.getCount() == 0) {
          return deleted;
        }
        deleted += deleteIfResponse(job) ? 1 : 0;
        last = job;
      }
    } while (page.size() == PAGE);
    last = JobId.of(Math.max(0, micros(latest.minus(keep))), 0, 0); // other jobs are done, too
    return deleted;
  }

  /** By steady time: the wall clock may have been set. The time in a job's id is when it was made. */
  private boolean isOld(JobId job) {
    Instant made = Instant.EPOCH.plus(job.micros(), ChronoUnit.MICROS);
    return !timeline.now().steady().isBefore(timeline.submitted(made).plus(keep));
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private boolean deleteIfResponse(JobId job) {
    try {
      return store
          .find(job)
          .flatMap(view -> StoredResponse.of(view.header()))
          .map(response -> responses.delete(response, EXPIRED))
          .orElse(false);
    } catch (JobException e) { // the others must not wait for it; a restart tries it again
      LOG.log(Level.WARNING, "expired response " + job + " cannot be deleted: " + e.getMessage());
      return false;
    }
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
