package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.store.Claim;

/** Which claim, among those of all jobs. */
record Holding(JobId job, Hold hold) {
  static Holding of(Claim claim) {
    return new Holding(claim.job(), claim.hold());
  }
}
