package dev.millrace.http.jobnik;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.ApiStageMapper;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.jobnik.entity.StageContext;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What can be done with stages. */
final class StageRoutes {
  /** Most tasks that come along with a stage; fewer where they are large. */
  private static final int TASKS_ALONG = 1_000;

  private final JobStore store;
  private final EntityLookup lookup;

  StageRoutes(EntityLookup lookup) {
    this.store = lookup.store();
    this.lookup = lookup;
  }

  List<Route> routes() {
    String one = "/v1/stages/{stageId}";
    return List.of(
        new Route("GET", "/v1/jobs/{jobId}/stages", "getStagesByJobId", KeyScope.READ, this::ofJob),
        new Route("POST", "/v1/jobs/{jobId}/stage", "addStage", KeyScope.SUBMIT, this::add),
        new Route("GET", "/v1/stages", "getStages", KeyScope.READ, this::find),
        new Route("GET", one, "getStageById", KeyScope.READ, this::get),
        new Route("GET", one + "/summary", "getStageSummary", KeyScope.READ, this::summary),
        new Route(
            "PATCH",
            one + "/user-metadata",
            "updateStageUserMetadata",
            KeyScope.SUBMIT,
            this::describe),
        new Route("PUT", one + "/status", "updateStageStatus", KeyScope.SUBMIT, this::move));
  }

  private ApiResponse ofJob(ApiRequest call) {
    return list(call, call.pathParameter("jobId"));
  }

  private ApiResponse find(ApiRequest call) {
    String job = call.query("job_id").orElse(null);
    if (job != null) {
      return list(call, job);
    }
    PageBuilder listing = new PageBuilder(call);
    new EntityScanner(store, listing)
        .scanStages(ListFilters.OfStages.of(call), json(call, listing));
    return listing.reply();
  }

  private ApiResponse list(ApiRequest call, String job) {
    JobView view = lookup.job(job);
    PageBuilder listing = new PageBuilder(call);
    new EntityScanner(store, listing)
        .scanStages(view, ListFilters.OfStages.of(call), json(call, listing));
    return listing.reply();
  }

  private Function<EntityLookup.StageInJob, JsonObject> json(ApiRequest call, PageBuilder listing) {
    boolean tasks = RequestParameters.flag(call, "should_return_tasks");
    return stage -> {
      listing.countVisits(tasks ? Math.min(TASKS_ALONG, stage.stage().total()) : 0);
      return json(stage, tasks);
    };
  }

  private JsonObject json(EntityLookup.StageInJob stage, boolean withTasks) {
    JsonObject out = ApiStageMapper.of(stage.job(), stage.stage()).toJson();
    if (withTasks) {
      out.put("tasks", tasks(stage.context()));
    }
    return out;
  }

  /** The first of them, as many as go along. */
  private List<JsonObject> tasks(StageContext lineage) {
    ResponseBudget portion = new ResponseBudget();
    List<JsonObject> tasks = new ArrayList<>();
    while (tasks.size() < TASKS_ALONG && !portion.isFull()) {
      int most = portion.batchSize(TASKS_ALONG - tasks.size());
      List<TaskView> next = store.tasks(lineage.job(), lineage.stage(), tasks.size() + 1, most);
      for (TaskView task : next) {
        JsonObject json = ApiTaskMapper.of(lineage, task).toJson();
        portion.add(JsonTextSize.of(json));
        tasks.add(json);
      }
      if (next.size() < most) {
        break;
      }
    }
    return tasks;
  }

  private ApiResponse add(ApiRequest call) {
    JobView job = lookup.job(call.pathParameter("jobId"));
    JobId id = job.header().id();
    Added added =
        store.addStage(
            id, SpecReader.readStage(call, job.stages().size() + 1), RequestParameters.cause(call));
    if (!added.outcome().isDone()) {
      throw JobnikProblems.of(added.outcome(), JobnikProblems.noJob(call.pathParameter("jobId")));
    }
    JobView now = lookup.job(id);
    return ApiResponse.json(
        201, ApiStageMapper.of(now, now.stages().get(added.first() - 1)).toJson());
  }

  private ApiResponse get(ApiRequest call) {
    return ApiResponse.ok(json(stage(call), RequestParameters.flag(call, "should_return_tasks")));
  }

  private ApiResponse summary(ApiRequest call) {
    return ApiResponse.ok(ApiStageMapper.summary(stage(call).stage()).toJson());
  }

  private ApiResponse describe(ApiRequest call) {
    EntityLookup.StageInJob of = stage(call);
    Outcome answer =
        store.replaceMetadata(
            of.job().header().id(),
            of.stage().number(),
            0,
            call.bodyObject(),
            RequestParameters.cause(call));
    return reply(call, answer);
  }

  /**
   * The only way for a user is from WAITING to PENDING. What is there already, or was approved and
   * has gone on, stays where it is: the wish may be repeated because its answer was lost.
   */
  private ApiResponse move(ApiRequest call) {
    EntityLookup.StageInJob of = stage(call);
    StageState state = of.stage().state();
    if (state == StageState.PENDING || state == StageState.IN_PROGRESS && of.stage().gate()) {
      return SuccessCode.STAGE_MODIFIED_SUCCESSFULLY.reply();
    }
    Outcome answer =
        store.approve(of.job().header().id(), of.stage().number(), RequestParameters.cause(call));
    if (answer instanceof Outcome.Refused refused) {
      throw refusal(refused.reason(), stage(call).stage());
    }
    return reply(call, answer);
  }

  private static Problem refusal(Reason reason, StageView stage) {
    return reason == Reason.PREVIOUS_STAGE || stage.state() == StageState.CREATED
        ? JobnikProblems.previousStageNotCompleted()
        : JobnikProblems.illegalTransition("STAGE", stage.state(), StageState.PENDING);
  }

  private EntityLookup.StageInJob stage(ApiRequest call) {
    return lookup.stage(call.pathParameter("stageId"));
  }

  private static ApiResponse reply(ApiRequest call, Outcome answer) {
    if (!answer.isDone()) {
      throw JobnikProblems.of(answer, JobnikProblems.noStage(call.pathParameter("stageId")));
    }
    return SuccessCode.STAGE_MODIFIED_SUCCESSFULLY.reply();
  }
}
