package dev.millrace.http.bulk;

import dev.millrace.api.jobs.BulkAction.Kind;
import dev.millrace.api.jobs.BulkResult;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.Problem;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Does one thing to one job after the other. What one job refuses does not keep the others from it;
 * what the store refuses, such as for a full disk, ends the request.
 *
 * @param keyName the API key of the request; null: none
 */
record BulkRunner(
    EntityLookup lookup,
    WebhookPolicy webhooks,
    Kind action,
    Cause cause,
    @Nullable String keyName) {

  /**
   * @param text an id as the client sent it
   */
  BulkResult.Outcome run(String text) {
    UUID uuid = UUID.fromString(text);
    try {
      JobId id = lookup.jobId(text);
      return new BulkResult.Outcome(uuid, true, carryOut(id, text), null, null);
    } catch (Problem e) {
      String code = e.code() == null ? "VALIDATION_ERROR" : e.code();
      return new BulkResult.Outcome(uuid, false, null, code, e.text());
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      return new BulkResult.Outcome(uuid, false, null, "VALIDATION_ERROR", why);
    } catch (JobException e) {
      return new BulkResult.Outcome(
          uuid,
          false,
          null,
          "DATABASE_RELATED_ERROR",
          "what is stored of this job cannot be read, other jobs are not affected; the server's"
              + " log says why");
    }
  }

  /** Returns the new job of a retry; null otherwise. */
  private @Nullable UUID carryOut(JobId id, String text) {
    if (action == Kind.RETRY) {
      return EntityId.of(retry(id, text)).uuid();
    }
    Outcome outcome = lookup.store().apply(id, lever(), cause);
    if (!outcome.isDone()) {
      throw JobnikProblems.of(outcome, JobnikProblems.noJob(text));
    }
    return null;
  }

  private Lever lever() {
    return switch (action) {
      case PAUSE -> new Lever.Pause();
      case RESUME -> new Lever.Resume();
      case ABORT -> new Lever.Abort();
      case DELETE -> new Lever.Delete();
      case RETRY -> throw new IllegalStateException("a retry is no lever");
    };
  }

  private JobId retry(JobId id, String text) {
    JobView job = lookup.store().find(id).orElseThrow(() -> JobnikProblems.noJob(text));
    job.header().webhooks().forEach(webhooks::check);
    RetryResult result = lookup.store().retry(RetryRequest.of(id).by(keyName, cause));
    if (!result.outcome().isDone()) {
      throw JobnikProblems.of(result.outcome(), JobnikProblems.noJob(text));
    }
    return Objects.requireNonNull(result.id());
  }
}
