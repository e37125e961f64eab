package dev.millrace.store.fs.internal.submit;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryResult;
import org.jspecify.annotations.Nullable;

/**
 * The result of a retry, with what the owner of the workspace must know about the new job.
 *
 * @param spec null if it was rejected
 * @param fold the new job with what it adopted; null if it adopted nothing
 */
public record Resubmission(RetryResult result, @Nullable JobSpec spec, @Nullable JobFold fold) {

  static Resubmission rejected(Outcome outcome) {
    return new Resubmission(RetryResult.rejected(outcome), null, null);
  }

  static Resubmission created(JobId id, JobSpec spec, @Nullable JobFold fold) {
    return of(id, true, spec, fold);
  }

  static Resubmission existing(JobId id, JobSpec spec, @Nullable JobFold fold) {
    return of(id, false, spec, fold);
  }

  private static Resubmission of(JobId id, boolean fresh, JobSpec spec, @Nullable JobFold fold) {
    int adopted = fold == null ? 0 : fold.stages().stream().mapToInt(StageFold::adopted).sum();
    int tasks =
        fold == null
            ? spec.stages().stream().mapToInt(stage -> stage.tasks().size()).sum()
            : fold.stages().stream().mapToInt(StageFold::size).sum();
    return new Resubmission(new RetryResult(Outcome.DONE, id, fresh, adopted, tasks), spec, fold);
  }
}
