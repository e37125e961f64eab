package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.StageContext;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;

/** The routes for tasks, except those for workers. */
final class TaskRoutes {
  private final JobStore store;
  private final EntityLookup lookup;
  private final StageContextCache contexts;

  TaskRoutes(EntityLookup lookup, StageContextCache contexts) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.contexts = contexts;
  }

  List<Route> routes() {
    String ofStage = "/v1/stages/{stageId}/tasks";
    String one = "/v1/tasks/{taskId}";
    return List.of(
        new Route("GET", ofStage, "getTasksByStageId", KeyScope.READ, this::ofStage),
        new Route("POST", ofStage, "addTasks", KeyScope.SUBMIT, this::add),
        new Route("GET", "/v1/tasks", "getTasks", KeyScope.READ, this::find),
        new Route("GET", one, "getTaskById", KeyScope.READ, this::get),
        new Route(
            "PATCH",
            one + "/user-metadata",
            "updateTaskUserMetadata",
            KeyScope.SUBMIT,
            this::updateMetadata));
  }

  private ApiResponse ofStage(ApiRequest call) {
    return list(call, call.pathParameter("stageId"), ListFilters.OfTasks.ALL);
  }

  private ApiResponse find(ApiRequest call) {
    ListFilters.OfTasks filter = ListFilters.OfTasks.of(call);
    String stage = call.query("stage_id").orElse(null);
    if (stage != null) {
      return list(call, stage, filter);
    }
    PageBuilder page = new PageBuilder(call);
    new EntityScanner(store, page).scanTasks(filter);
    return page.reply();
  }

  private ApiResponse list(ApiRequest call, String stage, ListFilters.OfTasks filter) {
    EntityLookup.StageInJob of = lookup.stage(stage);
    PageBuilder page = new PageBuilder(call);
    if (filter.mayAccept(of.stage())) {
      new EntityScanner(store, page).scanTasks(of, filter);
    }
    return page.reply();
  }

  private ApiResponse add(ApiRequest call) {
    String name = call.pathParameter("stageId");
    EntityLookup.StageInJob of = lookup.stage(name);
    StageContext context = of.context();
    List<TaskSpec> tasks = SpecReader.readTasks(call);
    Added added =
        store.addTasks(context.job(), context.stage(), tasks, RequestParameters.cause(call));
    if (!added.outcome().isDone()) {
      throw JobnikProblems.of(added.outcome(), JobnikProblems.noStage(name));
    }
    List<TaskView> created =
        tasks.isEmpty()
            ? List.of()
            : store.tasks(context.job(), context.stage(), added.first(), tasks.size());
    return ApiResponse.json(
        201, created.stream().map(task -> ApiTaskMapper.of(context, task).toJson()).toList());
  }

  private ApiResponse get(ApiRequest call) {
    EntityId id = lookup.taskId(call.pathParameter("taskId"));
    TaskView task = lookup.task(id);
    return ApiResponse.ok(ApiTaskMapper.of(contexts.of(id.job(), id.stage()), task).toJson());
  }

  private ApiResponse updateMetadata(ApiRequest call) {
    EntityId id = lookup.taskId(call.pathParameter("taskId"));
    Outcome outcome =
        store.replaceMetadata(
            id.job(), id.stage(), id.task(), call.bodyObject(), RequestParameters.cause(call));
    if (!outcome.isDone()) {
      throw JobnikProblems.of(outcome, JobnikProblems.noTask(call.pathParameter("taskId")));
    }
    return SuccessCode.TASK_MODIFIED_SUCCESSFULLY.reply();
  }
}
