package dev.millrace.core.store;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much there is to do, and how much is being done.
 *
 * @param jobs how many are in each state
 * @param lines of the queue, one for each type and priority of which a task waits or runs
 */
public record QueueStats(Map<JobState, Integer> jobs, List<TypeStats> types) {

  /**
   * Tasks of one type and one priority.
   *
   * @param waiting jobs among which a task of this type can be claimed, or will be after its backoff
   * @param pending tasks of them that wait for their first claim
   * @param retried tasks of them that wait for another one
   * @param running tasks that a worker holds, be their job paused by now
   * @param oldest when the job that waits longest was created; null if none waits
   */
  public record TypeStats(
      String type,
      Priority priority,
      int waiting,
      long pending,
      long retried,
      long running,
      @Nullable Instant oldest) {}
}
