package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.jobnik.claim.ClaimVerifier;
import dev.millrace.http.jobnik.claim.ClaimedTaskActions;
import dev.millrace.http.jobnik.claim.DequeueRequest;
import dev.millrace.http.jobnik.claim.DequeueResponse;
import dev.millrace.http.jobnik.claim.TaskDispatcher;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The routes for workers: they claim tasks, send heartbeats and report results. */
final class WorkerRoutes {
  static final String WORKER = "Millrace-Worker";

  /** The lease of Jobnik, whose workers send no heartbeats. */
  private static final Duration JOBNIK_LEASE = Duration.ofMinutes(30);

  private static final int DEFAULT_LEASE_SECONDS = 60;
  private static final int MAX_LEASE_SECONDS = 3_600;
  private static final int MAX_WAIT_SECONDS = 60;
  private static final int MAX_TASKS = 1_000;
  private static final int MAX_NAME = 100;

  private final EntityLookup lookup;
  private final StageContextCache contexts;
  private final ClaimedTaskActions actions;
  private final TaskDispatcher dispatcher;
  private final RecentWorkerTypes types;

  WorkerRoutes(
      EntityLookup lookup,
      StageContextCache contexts,
      TaskDispatcher dispatcher,
      RecentWorkerTypes types) {
    this.lookup = lookup;
    this.contexts = contexts;
    this.actions = new ClaimedTaskActions(lookup.store(), new ClaimVerifier(lookup, contexts));
    this.dispatcher = dispatcher;
    this.types = types;
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
    Integer limit = RequestParameters.number(call, "limit", null, 1, MAX_TASKS);
    DequeueRequest request = dequeueRequest(call, limit == null ? 1 : limit);
    types.markSeen(request.type());
    DequeueResponse response = new DequeueResponse(dispatcher, contexts, call);
    List<JsonObject> tasks = response.claimTasks(request);
    if (limit != null) {
      return response.reply(tasks);
    }
    if (tasks.isEmpty()) {
      throw new Problem(
          Problem.Kind.NOT_FOUND,
          "TASK_NOT_FOUND",
          "there is no task of type \"" + call.pathParameter("stageType") + "\" to take");
    }
    return response.reply(tasks.getFirst());
  }

  private static DequeueRequest dequeueRequest(ApiRequest call, int limit) {
    String type = StageSpec.requireType(call.pathParameter("stageType"));
    String worker = worker(call);
    Integer lease =
        RequestParameters.number(
            call, "lease", worker == null ? null : DEFAULT_LEASE_SECONDS, 5, MAX_LEASE_SECONDS);
    if (worker == null && lease != null) {
      throw JobnikProblems.invalid(
          "request/query/lease needs the header " + WORKER + "; without it a lease is 30 minutes");
    }
    Integer wait = RequestParameters.number(call, "wait", 0, 0, MAX_WAIT_SECONDS);
    return new DequeueRequest(
        type,
        limit,
        worker == null ? call.principal().name() : worker,
        lease == null ? JOBNIK_LEASE : Duration.ofSeconds(lease),
        worker == null,
        Duration.ofSeconds(wait == null ? 0 : wait),
        () -> call.isClientGone() || !call.isAdmitted(),
        call::reserveLongPoll);
  }

  private static @Nullable String worker(ApiRequest call) {
    String name = call.header(WORKER).orElse(null);
    boolean valid =
        name == null
            || !name.isBlank()
                && name.length() <= MAX_NAME
                && name.chars().allMatch(c -> c >= 32 && c < 127);
    if (!valid) {
      throw JobnikProblems.invalid(
          "request/headers/" + WORKER + " must be 1 to " + MAX_NAME + " printable characters");
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

  /** Jobnik workers may send no body. */
  private static JsonObject bodyOrEmpty(ApiRequest call) {
    return call.body() == null ? JsonObject.create() : call.bodyObject();
  }
}
