package dev.millrace.cli.read;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import java.time.Duration;
import java.util.List;

/** Waits for jobs to leave the queue. */
final class JobWaiter {
  /** A wait is over after this long whatever happened, so that nothing is waited for in vain. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private JobWaiter() {}

  /**
   * Waits until the newest of the jobs is neither queued nor running any more: it is likely the
   * last to be so, and looking at one job is cheap whatever their number.
   */
  static void awaitNewest(JobReader reading, JobReader.Query query) throws InterruptedException {
    List<JobId> newest = reading.list(query.newest(1));
    if (newest.isEmpty()) {
      return;
    }
    awaitInactive(reading, newest.getFirst());
  }

  /** Waits while the job is queued or running. */
  static void awaitInactive(JobReader reading, JobId id) throws InterruptedException {
    while (reading.state(id).filter(JobState::isOpen).isPresent()) {
      reading.awaitChange(id, ROUND);
    }
  }
}
