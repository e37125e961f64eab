package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims that ended with their job. Each is kept until its worker has answered or its lease is
 * over. Without them, each late answer would read the whole log of a job that is no longer in
 * memory. Thread-safe.
 */
public final class EndedClaims {

  /** A claim's job as it ended, and the answer for its worker. */
  public record EndedClaim(JobFiles files, JobDirectory at, Outcome outcome) {}

  private record Left(JobFiles files, JobDirectory at, Map<ClaimKey, Outcome> answers) {}

  private final Map<JobId, Left> jobs = new ConcurrentHashMap<>();

  /** Adds the claims that ended with a job in its final directory. */
  void add(ActiveJob job) {
    Map<ClaimKey, Outcome> answers = new ConcurrentHashMap<>();
    job.claimsEndedWithJob()
        .forEach(key -> answers.put(key, ClaimRules.checkFence(job.fold(), key)));
    if (!answers.isEmpty()) {
      jobs.put(job.id(), new Left(job.files(), job.at(), answers));
    }
  }

  boolean contains(JobId id) {
    return jobs.containsKey(id);
  }

  public @Nullable EndedClaim find(Claim claim) {
    Left job = jobs.get(claim.job());
    Outcome answer = job == null ? null : job.answers().get(claim.key());
    return answer == null ? null : new EndedClaim(job.files(), job.at(), answer);
  }

  /** Drops a claim whose worker has answered, or was silent for longer than its lease. */
  public void end(JobClaimKey claimKey) {
    jobs.computeIfPresent(
        claimKey.job(),
        (_, job) -> {
          job.answers().remove(claimKey.key());
          return job.answers().isEmpty() ? null : job;
        });
  }

  /** Drops the claims of a deleted job. */
  public void end(JobId id) {
    jobs.remove(id);
  }
}
