package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;

/** The way in. */
public interface JobSubmitter {

  /**
   * Takes a job in: nowhere to PENDING, or to PAUSED if it is submitted on hold. When this returns,
   * the job is durable.
   *
   * @throws IllegalArgumentException if the job breaks a rule that a {@link JobSpec} cannot check
   * @throws StoreException if it could not be made durable; the job then was not taken
   */
  JobId submit(JobSpec spec);

  /**
   * As {@link #submit(JobSpec)}, under an id that the caller made by {@link
   * dev.millrace.core.Work#generateId}. Where there is such a job already, nothing happens: so a
   * submission whose fate is unknown can be repeated.
   *
   * @return whether the job is new
   */
  boolean submit(JobSpec spec, JobId id);
}
