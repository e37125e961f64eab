package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import java.time.Instant;
import java.util.List;

/**
 * A job as its row has it, with the first entries of its log.
 *
 * @param key of its row; 0 if it has none yet
 * @param spec as submitted, without tasks
 * @param lastNumber of its log
 * @param version another one after each change
 * @param entries at most {@link JobRows#PAGE}
 */
public record JobRow(
    long key,
    JobId id,
    JobSpec spec,
    JobPlan plan,
    JobState state,
    long lastNumber,
    long version,
    List<String> entries) {

  public Instant createdAt() {
    return plan.createdAt();
  }
}
