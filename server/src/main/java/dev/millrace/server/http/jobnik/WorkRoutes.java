package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Route;
import dev.millrace.server.http.Scope;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workers' side: they take tasks, show that they live, and answer. */
final class WorkRoutes {
  static final String WORKER = "Millrace-Worker";

  /** What Jobnik gives a worker that never shows that it lives. */
  private static final Duration STOCK_LEASE = Duration.ofMinutes(30);

  private static final int USUAL_LEASE_SECONDS = 60;
  private static final int LONGEST_NAME = 100;

  private final Lookup lookup;
  private final Lineages lineages;
  private final Answers answers;
  private final Dispatcher dispatcher;

  WorkRoutes(Lookup lookup, Lineages lineages, Dispatcher dispatcher) {
    this.lookup = lookup;
    this.lineages = lineages;
    this.answers = new Answers(lookup.store(), new Holds(lookup, lineages));
    this.dispatcher = dispatcher;
  }

  List<Route> routes() {
    String one = "/v1/tasks/{taskId}";
    return List.of(
        new Route(
            "PATCH",
            "/v1/stages/{stageType}/tasks/dequeue",
            "dequeueTask",
            Scope.WORK,
            this::dequeue),
        new Route("PUT", one + "/status", "updateTaskStatus", Scope.WORK, this::settle),
        new Route("PUT", one + "/heartbeat", "heartbeatTask", Scope.WORK, this::heartbeat),
        new Route("PUT", one + "/release", "releaseTask", Scope.WORK, this::release),
        new Route("POST", one + "/logs", "logTask", Scope.WORK, this::log));
  }

  private Reply dequeue(Call call) throws InterruptedException {
    Integer limit = Parameters.number(call, "limit", null, 1, 1_000);
    Handout handout = new Handout(dispatcher, lineages, call);
    List<JsonObject> tasks = handout.fill(order(call, limit == null ? 1 : limit));
    if (limit != null) {
      return handout.reply(tasks);
    }
    if (tasks.isEmpty()) {
      throw new Problem(
          Problem.Kind.NOT_FOUND,
          "TASK_NOT_FOUND",
          "there is no task of type \"" + call.parameter("stageType") + "\" to take");
    }
    return handout.reply(tasks.getFirst());
  }

  private static Order order(Call call, int limit) {
    String type = StageSpec.requireType(call.parameter("stageType"));
    String worker = worker(call);
    Integer lease =
        Parameters.number(call, "lease", worker == null ? null : USUAL_LEASE_SECONDS, 5, 3_600);
    if (worker == null && lease != null) {
      throw Refusals.invalid(
          "request/query/lease needs the header " + WORKER + "; without it a lease is 30 minutes");
    }
    Integer wait = Parameters.number(call, "wait", 0, 0, 60);
    return new Order(
        type,
        limit,
        worker == null ? call.principal().name() : worker,
        lease == null ? STOCK_LEASE : Duration.ofSeconds(lease),
        worker == null,
        Duration.ofSeconds(wait == null ? 0 : wait),
        call::gone);
  }

  private static @Nullable String worker(Call call) {
    String name = call.header(WORKER).orElse(null);
    boolean fits =
        name == null
            || !name.isBlank()
                && name.length() <= LONGEST_NAME
                && name.chars().allMatch(c -> c >= 32 && c < 127);
    if (!fits) {
      throw Refusals.invalid(
          "request/headers/" + WORKER + " must be 1 to " + LONGEST_NAME + " printable characters");
    }
    return name;
  }

  private Reply settle(Call call) {
    EntityId id = id(call);
    answers.settle(id, said(call));
    return task(id);
  }

  private Reply release(Call call) {
    EntityId id = id(call);
    answers.release(id, said(call));
    return task(id);
  }

  private Reply heartbeat(Call call) {
    return Reply.ok(answers.heartbeat(id(call), said(call)));
  }

  private Reply log(Call call) {
    answers.log(id(call), said(call));
    return Codes.TASK_MODIFIED_SUCCESSFULLY.reply();
  }

  private Reply task(EntityId id) {
    return Reply.ok(TaskJson.of(lineages.of(id.job(), id.stage()), lookup.task(id)));
  }

  private EntityId id(Call call) {
    return lookup.taskId(call.parameter("taskId"));
  }

  /** Some say nothing at all. */
  private static JsonObject said(Call call) {
    return call.body() == null ? JsonObject.create() : call.object();
  }
}
