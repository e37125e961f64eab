package dev.millrace.http.jobnik;

import dev.millrace.api.jobs.CheckedPipeline;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.ReservedJobData;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.entity.ApiJobMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.function.Supplier;

/** The routes that submit and read jobs. */
final class JobRoutes {
  private final JobStore store;
  private final EntityLookup lookup;

  /** Names the idempotency keys of this API. */
  static final String API = "jobnik";

  private final IdempotentSubmitter submitter;
  private final WebhookPolicy webhooks;
  private final StageTaskCheck tasks;

  JobRoutes(
      EntityLookup lookup,
      IdempotentSubmitter submitter,
      WebhookPolicy webhooks,
      StageTaskCheck tasks) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.submitter = submitter;
    this.webhooks = webhooks;
    this.tasks = tasks;
  }

  List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/jobs", "findJobs", KeyScope.READ, this::find),
        new Route("POST", "/v1/jobs", "createJob", KeyScope.SUBMIT, this::create),
        new Route("POST", "/v1/pipelines", "createPipeline", KeyScope.SUBMIT, this::createPipeline),
        new Route(
            "POST", "/v1/pipelines/check", "checkPipeline", KeyScope.SUBMIT, this::checkPipeline),
        new Route("GET", "/v1/jobs/{jobId}", "getJobById", KeyScope.READ, this::get));
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
    return lookup.job(submitter.submit(API, call, () -> checked(reader.get())).id());
  }

  private JobSpec checked(JobSpec spec) {
    spec.webhooks().forEach(webhooks::check);
    return spec;
  }

  /** Refuses what a submission refuses, and tasks that a worker of this server would refuse. */
  private ApiResponse checkPipeline(ApiRequest call) {
    JobSpec spec = ReservedJobData.requireNone(checked(SpecReader.readPipeline(call)));
    JobSizeLimits.requireJob(spec);
    tasks.check(spec, "");
    int total = 0;
    int before = 0;
    for (StageSpec stage : spec.stages()) {
      before = stage.each() == null ? stage.tasks().size() : before;
      total += before;
    }
    return ApiResponse.ok(new CheckedPipeline(spec.stages().size(), total).toJson());
  }

  private ApiResponse get(ApiRequest call) {
    JobView job = lookup.job(lookup.jobId(call.pathParameter("jobId")));
    return ApiResponse.ok(json(job, RequestParameters.flag(call, "should_return_stages")));
  }

  private static JsonObject json(JobView job, boolean withStages) {
    return withStages
        ? ApiJobMapper.ofWithStages(job).toJsonWithStages()
        : ApiJobMapper.of(job).toJson();
  }
}
