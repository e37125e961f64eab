package dev.millrace.cli.read;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import java.time.Duration;
import java.util.List;

/** Waits while jobs are queued or running. */
final class JobWaiter {
  /** Polls at least this often, in case a notification is lost. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private JobWaiter() {}

  /** Waits until the job has ended or is missing, or the limit is reached. */
  static void awaitEnd(JobReader reader, JobId id, WaitLimit limit, WaitNotices notices)
      throws InterruptedException {
    Flow flow = new Flow(reader);
    while (!flow.await(id, limit.atMost(ROUND)).isFinal() && !limit.isReached()) {
      notices.about(id);
    }
  }

  /**
   * Waits until the newest of the jobs is neither queued nor running: it probably ends last, and
   * checking one job is cheap however many there are.
   */
  static void awaitNewest(JobReader reader, JobReader.Query query, WaitLimit limit)
      throws InterruptedException {
    List<JobId> newest = reader.list(query.newest(1));
    if (newest.isEmpty()) {
      return;
    }
    awaitInactive(reader, newest.getFirst(), limit);
  }

  /** Waits while the job is queued or running. */
  static void awaitInactive(JobReader reader, JobId id, WaitLimit limit)
      throws InterruptedException {
    while (reader.state(id).filter(JobState::isOpen).isPresent() && !limit.isReached()) {
      reader.awaitChange(id, limit.atMost(ROUND));
    }
  }
}
