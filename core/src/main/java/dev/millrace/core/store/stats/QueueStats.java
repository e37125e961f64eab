package dev.millrace.core.store.stats;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs and tasks wait and run.
 *
 * @param jobs how many jobs are in each state
 * @param types one entry for each type and priority that has a waiting or running task
 */
public record QueueStats(Map<JobState, Integer> jobs, List<TypeStats> types) {

  /**
   * Tasks of one type and one priority.
   *
   * @param waiting jobs with a task of this type that can be claimed, now or after its backoff
   * @param pending their tasks that wait for a first claim
   * @param retried their tasks that wait for another claim
   * @param running tasks that a worker has claimed, also in paused jobs
   * @param oldest when the longest waiting job was created; null if none waits
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
