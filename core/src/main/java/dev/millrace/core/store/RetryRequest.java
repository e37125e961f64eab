package dev.millrace.core.store;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import org.jspecify.annotations.Nullable;

/**
 * A request to run an ended job again.
 *
 * @param job the ended job
 * @param fromStart whether to repeat everything; else the new job adopts what was completed
 * @param id of the new job, made with {@link dev.millrace.core.Work#generateId}; null: the store
 *     chooses
 * @param submittedBy the name of the API key that asks for it; null: none
 * @param cause who asks for it and why, for the log of the new job; null: the log does not say
 */
public record RetryRequest(
    JobId job,
    boolean fromStart,
    @Nullable JobId id,
    @Nullable String submittedBy,
    @Nullable Cause cause) {

  public RetryRequest(JobId job, boolean fromStart, @Nullable JobId id) {
    this(job, fromStart, id, null, null);
  }

  public static RetryRequest of(JobId job) {
    return new RetryRequest(job, false, null);
  }

  public static RetryRequest fromStart(JobId job) {
    return new RetryRequest(job, true, null);
  }

  /** The same request under an id of the caller. */
  public RetryRequest as(JobId newId) {
    return new RetryRequest(job, fromStart, newId, submittedBy, cause);
  }

  /** The same request by someone who may say why. */
  public RetryRequest by(@Nullable String key, Cause who) {
    return new RetryRequest(job, fromStart, id, key, who);
  }

  /** Why, if there is a reason that the log of the new job keeps. */
  public @Nullable String comment() {
    return cause == null ? null : cause.comment();
  }
}
