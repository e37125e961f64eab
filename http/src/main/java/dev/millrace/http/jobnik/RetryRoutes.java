package dev.millrace.http.jobnik;

import dev.millrace.api.ApiJob;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.entity.ApiJobMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The route that runs an ended job again, as a new job. */
final class RetryRoutes {
  private final EntityLookup lookup;
  private final IdempotentSubmitter submitter;
  private final WebhookPolicy webhooks;

  RetryRoutes(EntityLookup lookup, IdempotentSubmitter submitter, WebhookPolicy webhooks) {
    this.lookup = lookup;
    this.submitter = submitter;
    this.webhooks = webhooks;
  }

  List<Route> routes() {
    return List.of(
        new Route("POST", "/v1/jobs/{jobId}/retry", "retryJob", KeyScope.SUBMIT, this::retry));
  }

  private ApiResponse retry(ApiRequest call) {
    String text = call.pathParameter("jobId");
    boolean fromStart = call.body() != null && call.bodyObject().flag("fromStart", false);
    RetryRequest request =
        new RetryRequest(lookup.jobId(text), fromStart, null)
            .by(
                call.principal().keyName(),
                Cause.user(call.principal().name(), LeverRequest.comment(call)));
    Retry retry = new Retry(lookup.store(), request, JobnikProblems.noJob(text));
    IdempotentSubmitter.Submitted submitted =
        submitter.create(
            JobRoutes.API,
            call,
            () -> {
              lookup.job(request.job()).header().webhooks().forEach(webhooks::check);
              return retry;
            });
    JobView job = lookup.job(submitted.id());
    RetryResult result = retry.result == null ? RetryResult.existing(job) : retry.result;
    return ApiResponse.json(
        201, new ApiJob.Retried(ApiJobMapper.of(job), result.adopted(), result.tasks()).toJson());
  }

  /** Creates the job, and keeps what the store said. */
  private static final class Retry implements IdempotentSubmitter.Creation {
    private final JobStore store;
    private final RetryRequest request;
    private final Problem missing;
    private @Nullable RetryResult result;

    Retry(JobStore store, RetryRequest request, Problem missing) {
      this.store = store;
      this.request = request;
      this.missing = missing;
    }

    @Override
    public JobId create() {
      return done(store.retry(request));
    }

    @Override
    public void createAs(JobId id) {
      done(store.retry(request.as(id)));
    }

    private JobId done(RetryResult answer) {
      if (!answer.outcome().isDone()) {
        throw JobnikProblems.of(answer.outcome(), missing);
      }
      result = answer;
      return Objects.requireNonNull(answer.id());
    }
  }
}
