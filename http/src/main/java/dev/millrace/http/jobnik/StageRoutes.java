package dev.millrace.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.ApiStageMapper;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.jobnik.entity.StageContext;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The routes that read stages. */
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
        new Route("GET", "/v1/stages", "getStages", KeyScope.READ, this::find),
        new Route("GET", one, "getStageById", KeyScope.READ, this::get),
        new Route("GET", one + "/summary", "getStageSummary", KeyScope.READ, this::summary));
  }

  private ApiResponse ofJob(ApiRequest call) {
    return list(call, Optional.of(lookup.job(call.pathParameter("jobId"))));
  }

  private ApiResponse find(ApiRequest call) {
    String job = call.query("job_id").orElse(null);
    if (job != null) {
      return list(call, lookup.findJob(job));
    }
    PageBuilder page = new PageBuilder(call);
    new EntityScanner(store, page).scanStages(ListFilters.OfStages.of(call), json(call, page));
    return page.reply();
  }

  private ApiResponse list(ApiRequest call, Optional<JobView> job) {
    PageBuilder page = new PageBuilder(call);
    ListFilters.OfStages filter = ListFilters.OfStages.of(call);
    job.ifPresent(
        view -> new EntityScanner(store, page).scanStages(view, filter, json(call, page)));
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

  private ApiResponse get(ApiRequest call) {
    return ApiResponse.ok(json(stage(call), RequestParameters.flag(call, "should_return_tasks")));
  }

  private ApiResponse summary(ApiRequest call) {
    return ApiResponse.ok(ApiStageMapper.summary(stage(call).stage()).toJson());
  }

  private EntityLookup.StageInJob stage(ApiRequest call) {
    return lookup.stage(call.pathParameter("stageId"));
  }
}
