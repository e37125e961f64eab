package dev.millrace.core.store.stats;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first jobs of the queue, in claim order.
 *
 * @param waiting all jobs with a task to claim, those in their backoff included
 */
public record QueueHead(List<QueuedJob> first, int waiting) {
  /** Of a process that does not know the claim order. */
  public static final QueueHead UNKNOWN = new QueueHead(List.of(), 0);

  public QueueHead {
    first = List.copyOf(first);
  }

  /**
   * A job with a task to claim.
   *
   * @param type of the task
   * @param createdAt when the job was created
   * @param eta as in {@link dev.millrace.core.store.JobReader.QueuePosition}
   */
  public record QueuedJob(
      JobId id, String type, Priority priority, Instant createdAt, @Nullable Duration eta) {}
}
