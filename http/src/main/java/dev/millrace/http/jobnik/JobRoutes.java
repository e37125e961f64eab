package dev.millrace.http.jobnik;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.entity.ApiJobMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The routes for jobs. */
final class JobRoutes {
  private final JobStore store;
  private final EntityLookup lookup;
  private final IdempotentSubmitter submitter;
  private final WebhookPolicy webhooks;

  JobRoutes(EntityLookup lookup, IdempotentSubmitter submitter, WebhookPolicy webhooks) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.submitter = submitter;
    this.webhooks = webhooks;
  }

  List<Route> routes() {
    String one = "/v1/jobs/{jobId}";
    return List.of(
        new Route("GET", "/v1/jobs", "findJobs", KeyScope.READ, this::find),
        new Route("POST", "/v1/jobs", "createJob", KeyScope.SUBMIT, this::create),
        new Route("POST", "/v1/pipelines", "createPipeline", KeyScope.SUBMIT, this::createPipeline),
        new Route("GET", one, "getJobById", KeyScope.READ, this::get),
        new Route("DELETE", one, "deleteJob", KeyScope.SUBMIT, this::delete),
        new Route(
            "PATCH",
            one + "/user-metadata",
            "updateJobUserMetadata",
            KeyScope.SUBMIT,
            this::updateMetadata),
        new Route(
            "PATCH", one + "/priority", "updateJobPriority", KeyScope.SUBMIT, this::updatePriority),
        new Route("PUT", one + "/status", "updateJobStatus", KeyScope.SUBMIT, this::updateStatus));
  }

  private ApiResponse find(ApiRequest call) {
    PageBuilder page = new PageBuilder(call);
    boolean stages = RequestParameters.flag(call, "should_return_stages");
    new EntityScanner(store, page)
        .scanJobs(
            ListFilters.OfJobs.of(call),
            job -> {
              page.countVisits(stages ? job.stages().size() : 0);
              return json(job, stages);
            });
    return page.reply();
  }

  private ApiResponse create(ApiRequest call) {
    return ApiResponse.json(201, json(submit(call, () -> SpecReader.readJob(call)), false));
  }

  private ApiResponse createPipeline(ApiRequest call) {
    return ApiResponse.json(201, json(submit(call, () -> SpecReader.readPipeline(call)), true));
  }

  private JobView submit(ApiRequest call, Supplier<JobSpec> reader) {
    return lookup.job(
        submitter.submit(
            call,
            () -> {
              JobSpec spec = reader.get();
              spec.webhooks().forEach(webhooks::check);
              return spec;
            }));
  }

  private ApiResponse get(ApiRequest call) {
    JobView job = lookup.job(id(call));
    return ApiResponse.ok(json(job, RequestParameters.flag(call, "should_return_stages")));
  }

  private ApiResponse delete(ApiRequest call) {
    return reply(call, store.delete(id(call)), SuccessCode.JOB_DELETED_SUCCESSFULLY);
  }

  private ApiResponse updateMetadata(ApiRequest call) {
    Outcome outcome =
        store.replaceMetadata(id(call), 0, 0, call.bodyObject(), RequestParameters.cause(call));
    return reply(call, outcome, SuccessCode.JOB_MODIFIED_SUCCESSFULLY);
  }

  private ApiResponse updatePriority(ApiRequest call) {
    Outcome outcome =
        store.prioritize(
            id(call), JobDocument.priority(call.bodyObject()), RequestParameters.cause(call));
    if (outcome instanceof Outcome.Refused refused && refused.reason() == Reason.SAME) {
      return new ApiResponse.Json(
          204, Map.of("Reason", "PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE"), null);
    }
    return reply(call, outcome, SuccessCode.JOB_MODIFIED_SUCCESSFULLY);
  }

  private ApiResponse updateStatus(ApiRequest call) {
    JobId id = id(call);
    Cause cause = RequestParameters.cause(call);
    JobState to = JobState.valueOf(call.bodyObject().string("status"));
    Outcome outcome =
        switch (to) {
          case PENDING -> store.resume(id, cause);
          case PAUSED -> store.pause(id, cause);
          case ABORTED -> store.abort(id, cause);
          default -> new Outcome.Refused("only the system moves a job there");
        };
    if (outcome instanceof Outcome.Refused) {
      JobState now = lookup.job(id).state();
      if (now != to && !(to == JobState.PENDING && now == JobState.IN_PROGRESS)) {
        throw JobnikProblems.illegalTransition("JOB", now, to);
      }
      return SuccessCode.JOB_MODIFIED_SUCCESSFULLY.reply(); // a repeated request
    }
    return reply(call, outcome, SuccessCode.JOB_MODIFIED_SUCCESSFULLY);
  }

  private static JsonObject json(JobView job, boolean withStages) {
    return withStages
        ? ApiJobMapper.ofWithStages(job).toJsonWithStages()
        : ApiJobMapper.of(job).toJson();
  }

  private JobId id(ApiRequest call) {
    return lookup.jobId(call.pathParameter("jobId"));
  }

  private static ApiResponse reply(ApiRequest call, Outcome outcome, SuccessCode done) {
    if (!outcome.isDone()) {
      throw JobnikProblems.of(outcome, JobnikProblems.noJob(call.pathParameter("jobId")));
    }
    return done.reply();
  }
}
