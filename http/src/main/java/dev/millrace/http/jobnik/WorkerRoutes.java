package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.claim.ClaimVerifier;
import dev.millrace.http.jobnik.claim.ClaimedTaskActions;
import dev.millrace.http.jobnik.claim.DequeueRequest;
import dev.millrace.http.jobnik.claim.DequeueResponse;
import dev.millrace.http.jobnik.claim.TaskDispatcher;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workers' side: they take tasks, show that they live, and answer. */
final class WorkerRoutes {
  static final String WORKER = "Millrace-Worker";

  /** What Jobnik gives a worker that never shows that it lives. */
  private static final Duration STOCK_LEASE = Duration.ofMinutes(30);

  private static final int USUAL_LEASE_SECONDS = 60;
  private static final int LONGEST_NAME = 100;

  private final EntityLookup lookup;
  private final StageContextCache contexts;
  private final ClaimedTaskActions actions;
  private final TaskDispatcher dispatcher;

  WorkerRoutes(EntityLookup lookup, StageContextCache lineages, TaskDispatcher dispatcher) {
    this.lookup = lookup;
    this.contexts = lineages;
    this.actions = new ClaimedTaskActions(lookup.store(), new ClaimVerifier(lookup, lineages));
    this.dispatcher = dispatcher;
  }

  List<Route> routes() {
    String one = "/v1/tasks/{taskId}";
    return List.of(
        new Route(
            "PATCH",
            "/v1/stages/{stageType}/tasks/dequeue",
            "dequeueTask",
            KeyScope.WORK,
            this::dequeue),
        new Route("PUT", one + "/status", "updateTaskStatus", KeyScope.WORK, this::finish),
        new Route("PUT", one + "/heartbeat", "heartbeatTask", KeyScope.WORK, this::heartbeat),
        new Route("PUT", one + "/release", "releaseTask", KeyScope.WORK, this::release),
        new Route("POST", one + "/logs", "logTask", KeyScope.WORK, this::log));
  }

  private ApiResponse dequeue(ApiRequest call) throws InterruptedException {
    Integer limit = RequestParameters.number(call, "limit", null, 1, 1_000);
    DequeueResponse handout = new DequeueResponse(dispatcher, contexts, call);
    List<JsonObject> tasks = handout.claimTasks(order(call, limit == null ? 1 : limit));
    if (limit != null) {
      return handout.reply(tasks);
    }
    if (tasks.isEmpty()) {
      throw new Problem(
          Problem.Kind.NOT_FOUND,
          "TASK_NOT_FOUND",
          "there is no task of type \"" + call.pathParameter("stageType") + "\" to take");
    }
    return handout.reply(tasks.getFirst());
  }

  private static DequeueRequest order(ApiRequest call, int limit) {
    String type = StageSpec.requireType(call.pathParameter("stageType"));
    String worker = worker(call);
    Integer lease =
        RequestParameters.number(
            call, "lease", worker == null ? null : USUAL_LEASE_SECONDS, 5, 3_600);
    if (worker == null && lease != null) {
      throw JobnikProblems.invalid(
          "request/query/lease needs the header " + WORKER + "; without it a lease is 30 minutes");
    }
    Integer wait = RequestParameters.number(call, "wait", 0, 0, 60);
    return new DequeueRequest(
        type,
        limit,
        worker == null ? call.principal().name() : worker,
        lease == null ? STOCK_LEASE : Duration.ofSeconds(lease),
        worker == null,
        Duration.ofSeconds(wait == null ? 0 : wait),
        call::isClientGone);
  }

  private static @Nullable String worker(ApiRequest call) {
    String name = call.header(WORKER).orElse(null);
    boolean fits =
        name == null
            || !name.isBlank()
                && name.length() <= LONGEST_NAME
                && name.chars().allMatch(c -> c >= 32 && c < 127);
    if (!fits) {
      throw JobnikProblems.invalid(
          "request/headers/" + WORKER + " must be 1 to " + LONGEST_NAME + " printable characters");
    }
    return name;
  }

  private ApiResponse finish(ApiRequest call) {
    EntityId id = id(call);
    actions.finish(id, bodyOrEmpty(call));
    return task(id);
  }

  private ApiResponse release(ApiRequest call) {
    EntityId id = id(call);
    actions.release(id, bodyOrEmpty(call));
    return task(id);
  }

  private ApiResponse heartbeat(ApiRequest call) {
    return ApiResponse.ok(actions.heartbeat(id(call), bodyOrEmpty(call)).toJson());
  }

  private ApiResponse log(ApiRequest call) {
    actions.log(id(call), bodyOrEmpty(call));
    return SuccessCode.TASK_MODIFIED_SUCCESSFULLY.reply();
  }

  private ApiResponse task(EntityId id) {
    return ApiResponse.ok(
        ApiTaskMapper.of(contexts.of(id.job(), id.stage()), lookup.task(id)).toJson());
  }

  private EntityId id(ApiRequest call) {
    return lookup.taskId(call.pathParameter("taskId"));
  }

  /** Some say nothing at all. */
  private static JsonObject bodyOrEmpty(ApiRequest call) {
    return call.body() == null ? JsonObject.create() : call.bodyObject();
  }
}
