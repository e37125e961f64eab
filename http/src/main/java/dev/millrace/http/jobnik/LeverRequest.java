package dev.millrace.http.jobnik;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Lever;
import dev.millrace.http.jobnik.entity.EntityLookup.StageInJob;
import org.jspecify.annotations.Nullable;

/**
 * A decoded request to change a job.
 *
 * @param before the stage in the path, as it was before; null if the path names none
 */
record LeverRequest(JobId job, Lever lever, @Nullable StageInJob before) {
  LeverRequest(JobId job, Lever lever) {
    this(job, lever, null);
  }

  static LeverRequest of(StageInJob stage, Lever lever) {
    return new LeverRequest(stage.job().header().id(), lever, stage);
  }
}
