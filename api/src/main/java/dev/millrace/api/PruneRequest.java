package dev.millrace.api;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.Set;

/**
 * Which finished jobs to delete.
 *
 * @param before only jobs that ended before this time
 * @param states only jobs in one of these final states, at least one
 */
public record PruneRequest(Instant before, Set<JobState> states) {
  public PruneRequest {
    states = Set.copyOf(states);
    if (states.isEmpty() || !states.stream().allMatch(JobState::isFinal)) {
      throw new IllegalArgumentException(
          "only jobs that have ended can be deleted: states must be COMPLETED, FAILED or ABORTED,"
              + " got "
              + states);
    }
  }

  /**
   * @param dryRun whether the server only lists the jobs
   */
  public JsonObject toJson(boolean dryRun) {
    JsonObject out =
        JsonObject.create()
            .put("before", before.toString())
            .put("states", states.stream().map(JobState::name).sorted().toList());
    return dryRun ? out.put("dryRun", true) : out;
  }
}
