package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;

/** Submits jobs. */
public interface JobSubmitter {

  /**
   * Submits a job. It starts PENDING, or PAUSED if it is held, and is durable when this returns.
   *
   * @throws IllegalArgumentException if the job breaks a rule that a {@link JobSpec} cannot check
   * @throws StoreException if it could not be made durable; the job is then not submitted
   */
  JobId submit(JobSpec spec);

  /**
   * As {@link #submit(JobSpec)}, under an id that the caller made with
   * {@link dev.millrace.core.Work#generateId}. If a job with this id exists, nothing happens, so a
   * caller that does not know the result of a submission can repeat it.
   *
   * @return whether the job is new
   */
  boolean submit(JobSpec spec, JobId id);

  /**
   * Submits a job that is COMPLETED, FAILED or ABORTED again, as a new job that names it in {@code
   * retryOf}; the ended one stays as it is. Tasks that completed there and whose input is the same
   * are adopted, CREATED or PENDING to COMPLETED, with copies of their results, receipts and terms;
   * stages that are adopted whole are COMPLETED. The new job is PENDING, or COMPLETED at once where
   * nothing is left to do, and is durable with all that it adopts when this returns. Everything is
   * repeated if the request says so, or if the ended job is COMPLETED with all its tasks.
   *
   * @throws IllegalArgumentException if the ended job cannot be submitted again
   * @throws StoreException if it cannot be read, or the new one could not be made durable
   */
  RetryResult retry(RetryRequest request);
}
