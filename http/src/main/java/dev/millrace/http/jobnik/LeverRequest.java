package dev.millrace.http.jobnik;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Lever;
import dev.millrace.http.jobnik.entity.EntityLookup.StageInJob;
import dev.millrace.http.route.ApiRequest;
import org.jspecify.annotations.Nullable;

/**
 * A decoded request to change a job.
 *
 * @param before the stage in the path, as it was before; null if the path names none
 * @param comment why, for the job's log; null: the request does not say
 */
record LeverRequest(JobId job, Lever lever, @Nullable StageInJob before, @Nullable String comment) {
  LeverRequest(JobId job, Lever lever) {
    this(job, lever, null, null);
  }

  static LeverRequest of(StageInJob stage, Lever lever) {
    return new LeverRequest(stage.job().header().id(), lever, stage, null);
  }

  /** The same with the comment of a body that may have one. */
  LeverRequest commented(ApiRequest call) {
    return new LeverRequest(job, lever, before, comment(call));
  }

  /** Why, as the body says; null if it does not. */
  static @Nullable String comment(ApiRequest call) {
    return call.body() == null ? null : call.bodyObject().string("comment", null);
  }

  /** Who makes the request, and why. */
  Cause cause(ApiRequest call) {
    return Cause.user(call.principal().name(), comment);
  }
}
