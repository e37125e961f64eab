package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.store.Claim;
import dev.millrace.store.fs.JobFiles.At;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Claims that ended with their job, until their workers have answered or their leases are over:
 * without them the whole log of a job that is not in memory any more would be read again for each
 * word of each worker.
 * Thread-safe.
 */
final class Orphans {

  /** A claim's job as it ended, and what its worker is to be told. */
  record Orphan(JobFiles files, At at, Answer answer) {}

  private record Left(JobFiles files, At at, Map<Hold, Answer> answers) {}

  private final Map<JobId, Left> jobs = new ConcurrentHashMap<>();

  /** Takes the claims that ended with a job which is in its last place. */
  void add(ActiveJob job) {
    Map<Hold, Answer> answers = new ConcurrentHashMap<>();
    job.stopped().forEach(hold -> answers.put(hold, Claims.check(job.fold(), hold)));
    if (!answers.isEmpty()) {
      jobs.put(job.id(), new Left(job.files(), job.at(), answers));
    }
  }

  boolean knows(JobId id) {
    return jobs.containsKey(id);
  }

  @Nullable Orphan of(Claim claim) {
    Left job = jobs.get(claim.job());
    Answer answer = job == null ? null : job.answers().get(claim.hold());
    return answer == null ? null : new Orphan(job.files(), job.at(), answer);
  }

  /** Its worker has answered, or has been silent for longer than its lease. */
  void end(Holding holding) {
    jobs.computeIfPresent(
        holding.job(),
        (_, job) -> {
          job.answers().remove(holding.hold());
          return job.answers().isEmpty() ? null : job;
        });
  }

  /** The job is no more. */
  void end(JobId id) {
    jobs.remove(id);
  }
}
