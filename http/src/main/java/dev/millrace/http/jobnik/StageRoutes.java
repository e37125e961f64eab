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

/** The routes for stages. */
final class StageRoutes {
  /** The most tasks in the answer for a stage; fewer if they are large. */
  private static final int MAX_TASKS = 1_000;

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
            this::updateMetadata),
        new Route(
            "PUT", one + "/status", "updateStageStatus", KeyScope.SUBMIT, this::updateStatus));
  }

  private ApiResponse ofJob(ApiRequest call) {
    return list(call, call.pathParameter("jobId"));
  }

  private ApiResponse find(ApiRequest call) {
    String job = call.query("job_id").orElse(null);
    if (job != null) {
      return list(call, job);
    }
    PageBuilder page = new PageBuilder(call);
    new EntityScanner(store, page).scanStages(ListFilters.OfStages.of(call), json(call, page));
    return page.reply();
  }

  private ApiResponse list(ApiRequest call, String job) {
    JobView view = lookup.job(job);
    PageBuilder page = new PageBuilder(call);
    new EntityScanner(store, page)
        .scanStages(view, ListFilters.OfStages.of(call), json(call, page));
    return page.reply();
  }

  private Function<EntityLookup.StageInJob, JsonObject> json(ApiRequest call, PageBuilder page) {
    boolean tasks = RequestParameters.flag(call, "should_return_tasks");
    return stage -> {
      page.countVisits(tasks ? Math.min(MAX_TASKS, stage.stage().total()) : 0);
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

  /** The first tasks of the stage, as many as fit. */
  private List<JsonObject> tasks(StageContext context) {
    ResponseBudget budget = new ResponseBudget();
    List<JsonObject> tasks = new ArrayList<>();
    while (tasks.size() < MAX_TASKS && !budget.isFull()) {
      int most = budget.batchSize(MAX_TASKS - tasks.size());
      List<TaskView> next = store.tasks(context.job(), context.stage(), tasks.size() + 1, most);
      for (TaskView task : next) {
        JsonObject json = ApiTaskMapper.of(context, task).toJson();
        budget.add(JsonTextSize.of(json));
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

  private ApiResponse updateMetadata(ApiRequest call) {
    EntityLookup.StageInJob of = stage(call);
    Outcome outcome =
        store.replaceMetadata(
            of.job().header().id(),
            of.stage().number(),
            0,
            call.bodyObject(),
            RequestParameters.cause(call));
    return reply(call, outcome);
  }

  /**
   * Approves a stage: users can only move it from WAITING to PENDING. A repeated request is
   * accepted, because the answer to the first may be lost: a stage that was approved stays as it
   * is.
   */
  private ApiResponse updateStatus(ApiRequest call) {
    EntityLookup.StageInJob of = stage(call);
    StageState state = of.stage().state();
    if (state == StageState.PENDING || state == StageState.IN_PROGRESS && of.stage().gate()) {
      return SuccessCode.STAGE_MODIFIED_SUCCESSFULLY.reply();
    }
    Outcome outcome =
        store.approve(of.job().header().id(), of.stage().number(), RequestParameters.cause(call));
    if (outcome instanceof Outcome.Refused refused) {
      throw refusal(refused.reason(), stage(call).stage());
    }
    return reply(call, outcome);
  }

  private static Problem refusal(Reason reason, StageView stage) {
    return reason == Reason.PREVIOUS_STAGE || stage.state() == StageState.CREATED
        ? JobnikProblems.previousStageNotCompleted()
        : JobnikProblems.illegalTransition("STAGE", stage.state(), StageState.PENDING);
  }

  private EntityLookup.StageInJob stage(ApiRequest call) {
    return lookup.stage(call.pathParameter("stageId"));
  }

  private static ApiResponse reply(ApiRequest call, Outcome outcome) {
    if (!outcome.isDone()) {
      throw JobnikProblems.of(outcome, JobnikProblems.noStage(call.pathParameter("stageId")));
    }
    return SuccessCode.STAGE_MODIFIED_SUCCESSFULLY.reply();
  }
}
