package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Answer.Reason;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Idempotency;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Route;
import dev.millrace.server.http.Scope;
import dev.millrace.server.http.WebhookPolicy;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What can be done with jobs as a whole. */
final class JobRoutes {
  private final JobStore store;
  private final Lookup lookup;
  private final Idempotency once;
  private final WebhookPolicy hooks;

  JobRoutes(Lookup lookup, Idempotency once, WebhookPolicy hooks) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.once = once;
    this.hooks = hooks;
  }

  List<Route> routes() {
    String one = "/v1/jobs/{jobId}";
    return List.of(
        new Route("GET", "/v1/jobs", "findJobs", Scope.READ, this::find),
        new Route("POST", "/v1/jobs", "createJob", Scope.SUBMIT, this::create),
        new Route("POST", "/v1/pipelines", "createPipeline", Scope.SUBMIT, this::createWhole),
        new Route("GET", one, "getJobById", Scope.READ, this::get),
        new Route("DELETE", one, "deleteJob", Scope.SUBMIT, this::delete),
        new Route(
            "PATCH", one + "/user-metadata", "updateJobUserMetadata", Scope.SUBMIT, this::describe),
        new Route("PATCH", one + "/priority", "updateJobPriority", Scope.SUBMIT, this::prioritize),
        new Route("PUT", one + "/status", "updateJobStatus", Scope.SUBMIT, this::move));
  }

  private Reply find(Call call) {
    Listing listing = new Listing(call);
    boolean stages = Parameters.flag(call, "should_return_stages");
    new Walk(store, listing)
        .jobs(
            Filters.OfJobs.of(call),
            job -> {
              listing.spend(stages ? job.stages().size() : 0);
              return stages ? JobJson.withStages(job) : JobJson.of(job);
            });
    return listing.reply();
  }

  private Reply create(Call call) {
    return Reply.json(201, JobJson.of(submit(call, () -> Documents.job(call))));
  }

  private Reply createWhole(Call call) {
    return Reply.json(201, JobJson.withStages(submit(call, () -> Documents.pipeline(call))));
  }

  private JobView submit(Call call, Supplier<JobSpec> asked) {
    return lookup.job(
        once.submit(
            call,
            () -> {
              JobSpec spec = asked.get();
              spec.webhooks().forEach(hooks::check);
              return spec;
            }));
  }

  private Reply get(Call call) {
    JobView job = lookup.job(id(call));
    return Reply.ok(
        Parameters.flag(call, "should_return_stages") ? JobJson.withStages(job) : JobJson.of(job));
  }

  private Reply delete(Call call) {
    return reply(call, store.delete(id(call)), Codes.JOB_DELETED_SUCCESSFULLY);
  }

  private Reply describe(Call call) {
    Answer answer = store.describe(id(call), 0, 0, call.object(), Parameters.cause(call));
    return reply(call, answer, Codes.JOB_MODIFIED_SUCCESSFULLY);
  }

  private Reply prioritize(Call call) {
    Answer answer =
        store.prioritize(id(call), JobDocument.priority(call.object()), Parameters.cause(call));
    if (answer instanceof Answer.Refused refused && refused.reason() == Reason.SAME) {
      return new Reply.Json(
          204, Map.of("Reason", "PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE"), null);
    }
    return reply(call, answer, Codes.JOB_MODIFIED_SUCCESSFULLY);
  }

  private Reply move(Call call) {
    JobId id = id(call);
    Cause cause = Parameters.cause(call);
    JobState to = JobState.valueOf(call.object().string("status"));
    Answer answer =
        switch (to) {
          case PENDING -> store.resume(id, cause);
          case PAUSED -> store.pause(id, cause);
          case ABORTED -> store.abort(id, cause);
          default -> new Answer.Refused("only the system moves a job there");
        };
    if (answer instanceof Answer.Refused) {
      JobState now = lookup.job(id).state();
      if (now != to && !(to == JobState.PENDING && now == JobState.IN_PROGRESS)) {
        throw Refusals.transition("JOB", now, to);
      }
      return Codes.JOB_MODIFIED_SUCCESSFULLY.reply(); // a wish repeated: its answer may be lost
    }
    return reply(call, answer, Codes.JOB_MODIFIED_SUCCESSFULLY);
  }

  private JobId id(Call call) {
    return lookup.id(call.parameter("jobId"));
  }

  private static Reply reply(Call call, Answer answer, Codes done) {
    if (!answer.done()) {
      throw Refusals.of(answer, Refusals.noJob(call.parameter("jobId")));
    }
    return done.reply();
  }
}
