package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import org.jspecify.annotations.Nullable;

/**
 * A request to run an ended job again.
 *
 * @param job the ended job
 * @param fromStart whether to repeat everything; else the new job adopts what was completed
 * @param id of the new job, made with {@link dev.millrace.core.Work#generateId}; null: the store
 *     chooses
 */
public record RetryRequest(JobId job, boolean fromStart, @Nullable JobId id) {
  public static RetryRequest of(JobId job) {
    return new RetryRequest(job, false, null);
  }

  public static RetryRequest fromStart(JobId job) {
    return new RetryRequest(job, true, null);
  }

  /** The same request under an id of the caller. */
  public RetryRequest as(JobId newId) {
    return new RetryRequest(job, fromStart, newId);
  }
}
