package dev.millrace.core.internal.lease;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.ClaimKey;

/** Identifies a claim among those of all jobs. */
public record JobClaimKey(JobId job, ClaimKey key) {
  public static JobClaimKey of(Claim claim) {
    return new JobClaimKey(claim.job(), claim.key());
  }
}
