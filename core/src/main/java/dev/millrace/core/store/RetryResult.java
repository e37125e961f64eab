package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobView.StageView;
import org.jspecify.annotations.Nullable;

/**
 * The result of a retry.
 *
 * @param outcome {@link Outcome.Done}; {@link Outcome.Missing}: there is no such job; {@link
 *     Outcome.Refused}: it has not ended
 * @param id the new job's id; null unless {@code outcome} is done
 * @param fresh whether this request created the job; false if one with the requested id existed
 * @param adopted how many of its tasks were adopted
 * @param tasks how many tasks it has, as far as they are known when it is submitted
 */
public record RetryResult(
    Outcome outcome, @Nullable JobId id, boolean fresh, int adopted, int tasks) {

  public static RetryResult rejected(Outcome outcome) {
    return new RetryResult(outcome, null, false, 0, 0);
  }

  /** A job that an earlier request created. */
  public static RetryResult existing(JobView job) {
    return of(job, false);
  }

  /** A job that was just created. */
  public static RetryResult created(JobView job) {
    return of(job, true);
  }

  private static RetryResult of(JobView job, boolean fresh) {
    return new RetryResult(
        Outcome.DONE,
        job.header().id(),
        fresh,
        job.stages().stream().mapToInt(StageView::adopted).sum(),
        job.stages().stream().mapToInt(StageView::total).sum());
  }
}
