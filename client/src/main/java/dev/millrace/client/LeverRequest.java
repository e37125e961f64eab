package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A lever as an HTTP request: the only place of the client that encodes them.
 *
 * @param created {@code stage} or {@code task}, for a lever that adds something; else null
 * @param done decides, when a retry is refused, whether an earlier try has made the change
 */
record LeverRequest(
    ClientRequest request, @Nullable String created, BiPredicate<ApiException, ApiTransport> done) {

  static final String STAGE = "stage";
  static final String TASK = "task";

  private static final BiPredicate<ApiException, ApiTransport> NEVER = (_, _) -> false;

  /**
   * @param comment why; null: it does not say
   * @throws UnsupportedOperationException that names the lever, if the API does not have it, or no
   *     comment for it
   */
  static LeverRequest of(JobId job, Lever lever, @Nullable String comment) {
    UUID id = EntityId.of(job).uuid();
    return switch (lever) {
      case Lever.Pause _ -> status(id, JobState.PAUSED, comment);
      case Lever.Resume _ -> status(id, JobState.PENDING, comment);
      case Lever.Abort _ -> status(id, JobState.ABORTED, comment);
      case Lever.Approve(int stage) -> approve(EntityId.of(job, stage).uuid(), comment);
      case Lever.Prioritize(Priority priority) -> prioritize(id, priority, comment);
      case Lever other when comment != null -> throw uncommented(other);
      case Lever.Delete _ -> delete(id);
      case Lever.Describe(int stage, int task, JsonObject metadata) ->
          describe(
              stage == 0 ? "jobs" : task == 0 ? "stages" : "tasks",
              new EntityId(job, stage, task).uuid(),
              metadata);
      case Lever.AddStage(StageSpec spec) -> addStage(id, newStage(spec));
      case Lever.AddTasks(int stage, List<TaskSpec> tasks) ->
          addTasks(
              EntityId.of(job, stage).uuid(), tasks.stream().map(LeverRequest::newTask).toList());
      case Lever.Hold _ -> throw missing(lever);
    };
  }

  static LeverRequest status(UUID job, JobState status, @Nullable String comment) {
    return new LeverRequest(
        ClientRequest.put("/v1/jobs/{}/status", job)
            .body(
                JsonObject.create().put("status", status.name()).putIfPresent("comment", comment)),
        null,
        (refused, transport) ->
            refused.isIllegalTransition()
                && isReached(
                    transport
                        .send(ClientRequest.get("/v1/jobs/{}", job))
                        .read(ApiJob::fromJson)
                        .status(),
                    status));
  }

  /** Whether {@code wanted} leads to {@code now}; a resumed job may already run. */
  private static boolean isReached(JobState now, JobState wanted) {
    return now == wanted || wanted == JobState.PENDING && now.isOpen();
  }

  static LeverRequest delete(UUID job) {
    return new LeverRequest(
        ClientRequest.delete("/v1/jobs/{}", job), null, (refused, _) -> refused.isNotFound());
  }

  static LeverRequest prioritize(UUID job, Priority priority, @Nullable String comment) {
    JsonObject body =
        JsonObject.create().put("priority", priority.name()).putIfPresent("comment", comment);
    return new LeverRequest(
        ClientRequest.patch("/v1/jobs/{}/priority", job).repeatable().body(body), null, NEVER);
  }

  static LeverRequest approve(UUID stage, @Nullable String comment) {
    return new LeverRequest(
        ClientRequest.put("/v1/stages/{}/status", stage)
            .body(JsonObject.create().put("status", "PENDING").putIfPresent("comment", comment)),
        null,
        (refused, transport) ->
            refused.isIllegalTransition()
                && transport
                    .send(ClientRequest.get("/v1/stages/{}", stage))
                    .read(ApiStage::fromJson)
                    .status()
                    .isOpen());
  }

  /**
   * @param kind jobs, stages or tasks
   */
  static LeverRequest describe(String kind, UUID id, JsonObject metadata) {
    return new LeverRequest(
        ClientRequest.patch("/v1/" + kind + "/{}/user-metadata", id).repeatable().body(metadata),
        null,
        NEVER);
  }

  static LeverRequest addStage(UUID job, NewStage stage) {
    return new LeverRequest(
        ClientRequest.post("/v1/jobs/{}/stage", job).body(stage.toJson()), STAGE, NEVER);
  }

  static LeverRequest addTasks(UUID stage, List<NewTask> tasks) {
    return new LeverRequest(
        ClientRequest.post("/v1/stages/{}/tasks", stage)
            .body(tasks.stream().map(NewTask::toJson).toList()),
        TASK,
        NEVER);
  }

  /**
   * @throws ApiException if the server refuses it
   */
  ClientResponse send(ApiTransport transport) {
    return created == null
        ? transport.sendChange(request, refused -> done.test(refused, transport))
        : transport.sendCreate(created, request);
  }

  private static NewStage newStage(StageSpec spec) {
    if (!spec.tasks().isEmpty() || spec.each() != null) {
      throw new UnsupportedOperationException(
          "the HTTP API adds a stage without tasks and templates; add its tasks after it");
    }
    return new NewStage(
        spec.type(),
        spec.data(),
        spec.metadata(),
        spec.gate(),
        spec.policy(),
        spec.tolerance(),
        spec.trace());
  }

  private static NewTask newTask(TaskSpec spec) {
    if (spec.template() || !(spec.input() instanceof Map<?, ?>)) {
      throw new UnsupportedOperationException(
          "the HTTP API adds tasks whose input is a JSON object, not a text or a template");
    }
    return new NewTask(
        JsonObject.of(spec.input(), "input"), spec.metadata(), spec.maxAttempts(), spec.trace());
  }

  private static UnsupportedOperationException uncommented(Lever lever) {
    return new UnsupportedOperationException(
        "the HTTP API has no comment for \"" + LeverJson.name(lever) + "\"; leave it out");
  }

  private static UnsupportedOperationException missing(Lever lever) {
    return new UnsupportedOperationException(
        "the HTTP API has no \"" + LeverJson.name(lever) + "\"; use it where the server runs");
  }
}
