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
}
