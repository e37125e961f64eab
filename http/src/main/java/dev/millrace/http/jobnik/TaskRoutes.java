package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.EntityLookup.StageInJob;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.Optional;

/** The routes that read tasks, except those for workers. */
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
    return List.of(
        new Route(
            "GET", "/v1/stages/{stageId}/tasks", "getTasksByStageId", KeyScope.READ, this::ofStage),
        new Route("GET", "/v1/tasks", "getTasks", KeyScope.READ, this::find),
        new Route("GET", "/v1/tasks/{taskId}", "getTaskById", KeyScope.READ, this::get));
  }

  private ApiResponse ofStage(ApiRequest call) {
    StageInJob stage = lookup.stage(call.pathParameter("stageId"));
    return list(call, Optional.of(stage), ListFilters.OfTasks.ALL);
  }

  private ApiResponse find(ApiRequest call) {
    ListFilters.OfTasks filter = ListFilters.OfTasks.of(call);
    String stage = call.query("stage_id").orElse(null);
    if (stage != null) {
      return list(call, lookup.findStage(stage), filter);
    }
    PageBuilder page = new PageBuilder(call);
    new EntityScanner(store, page).scanTasks(filter);
    return page.reply();
  }

  private ApiResponse list(
      ApiRequest call, Optional<StageInJob> stage, ListFilters.OfTasks filter) {
    PageBuilder page = new PageBuilder(call);
    stage
        .filter(of -> filter.mayAccept(of.stage()))
        .ifPresent(of -> new EntityScanner(store, page).scanTasks(of, filter));
    return page.reply();
  }

  private ApiResponse get(ApiRequest call) {
    EntityId id = lookup.taskId(call.pathParameter("taskId"));
    TaskView task = lookup.task(id);
    return ApiResponse.ok(ApiTaskMapper.of(contexts.of(id.job(), id.stage()), task).toJson());
  }
}
