package dev.millrace.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.claim.TaskDispatcher;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * Jobs, stages and tasks below {@code /v1}, for Jobnik's clients and for workers anywhere. Leases
 * end when somebody calls the store's {@code sweep}, as every {@code Server} on it does.
 */
public final class JobnikRouteGroup implements RouteGroup {
  private final TaskDispatcher dispatcher;
  private final List<Route> routes = new ArrayList<>();

  public JobnikRouteGroup(
      JobStore store, IdResolver ids, IdempotentSubmitter once, WebhookPolicy hooks) {
    this.dispatcher = TaskDispatcher.start(store, TaskDispatcher.MAX_WAITERS);
    EntityLookup lookup = new EntityLookup(store, ids);
    StageContextCache lineages = new StageContextCache(store);
    routes.addAll(new JobRoutes(lookup, once, hooks).routes());
    routes.addAll(new StageRoutes(lookup).routes());
    routes.addAll(new TaskRoutes(lookup, lineages).routes());
    routes.addAll(new WorkerRoutes(lookup, lineages, dispatcher).routes());
  }

  @Override
  public String prefix() {
    return "/v1";
  }

  @Override
  public List<Route> routes() {
    return List.copyOf(routes);
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    String code = problem.code() == null ? code(problem.kind()) : problem.code();
    return JsonObject.create().put("message", problem.text()).put("code", code);
  }

  private static String code(Problem.Kind kind) {
    return switch (kind) {
      case MALFORMED, INVALID -> "VALIDATION_ERROR";
      case TOO_LARGE -> "PAYLOAD_TOO_LARGE";
      case INTERNAL -> "UNKNOWN_ERROR";
      case UNAVAILABLE -> "SERVICE_UNAVAILABLE";
      case UNAUTHORIZED,
          FORBIDDEN,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          REQUEST_TIMEOUT,
          CONFLICT,
          UNSUPPORTED_MEDIA_TYPE,
          TOO_MANY_REQUESTS,
          HEADERS_TOO_LARGE ->
          kind.name();
    };
  }

  /** How many requests wait for a task now. */
  public int waiting() {
    return dispatcher.waiting();
  }

  /** Whoever waits for a task goes home without one. */
  @Override
  public void drain() {
    dispatcher.close();
  }

  @Override
  public void close() {
    dispatcher.close();
  }
}
