package dev.millrace.http.openai.response.store;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Finds the responses that an earlier server has not finished, so that they start before the work
 * of the queue again. Those that wait in the queue stay there.
 */
public final class UnendedResponses implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** The most responses that are looked for; later ones start by their priority. */
  static final int MAX_JOBS = 10_000;

  static final int PAGE = 500;

  private static final Set<JobState> OPEN =
      Arrays.stream(JobState.values()).filter(JobState::isOpen).collect(Collectors.toSet());

  private final JobStore store;
  private volatile boolean closed;

  public UnendedResponses(JobStore store) {
    this.store = store;
  }

  /** Starts them in the background: the jobs of a large queue take long to read. */
  public void startSoon(Consumer<JobId> urgent) {
    MonitoredThreads.work().name("millrace-responses-start").start(() -> startSafely(urgent));
  }

  private void startSafely(Consumer<JobId> urgent) {
    try {
      startAll(urgent);
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "unfinished responses start by their priority", e); // the store said why
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "unfinished responses start by their priority", e);
    }
  }

  /** Starts the oldest first. */
  void startAll(Consumer<JobId> urgent) {
    JobId last = null;
    for (int looked = 0; looked < MAX_JOBS && !closed; looked += PAGE) {
      List<JobId> jobs =
          store.list(Query.in(OPEN).tagged(ResponseStore.TAG).oldest(PAGE).beyond(last));
      for (JobId job : jobs) {
        if (!closed && isUrgent(job)) {
          urgent.accept(job);
        }
      }
      if (jobs.size() < PAGE) {
        return;
      }
      last = jobs.getLast();
    }
  }

  private boolean isUrgent(JobId job) {
    try {
      return store
          .find(job)
          .map(JobView::header)
          .flatMap(StoredResponse::of)
          .filter(response -> !response.flex())
          .isPresent();
    } catch (JobException e) {
      return false; // it cannot be read, and the store has said why
    }
  }

  /** Stops soon; does not wait for that. */
  @Override
  public void close() {
    closed = true;
  }
}
