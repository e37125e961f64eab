package dev.millrace.client;

import dev.millrace.api.ApiTask;
import dev.millrace.api.HeartbeatResponse;
import dev.millrace.api.NewLogLine;
import dev.millrace.api.PageOf;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/tasks}. A token is what the claim gave, null for one without. Thread-safe. */
public final class TasksApi {
  private final ApiTransport transport;

  TasksApi(ApiTransport channel) {
    this.transport = channel;
  }

  public PageOf<ApiTask> list(TaskFilter filter, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/tasks")
                .query("stage_id", filter.stage())
                .query("stage_type", filter.type())
                .query("status", filter.state())
                .query("from_date", filter.from())
                .query("end_date", filter.until())
                .query("limit", ApiTransport.limitOrNull(filter.limit()))
                .query("cursor", cursor))
        .page(ApiTask::fromJson);
  }

  public Stream<ApiTask> all(TaskFilter filter) {
    return PageOf.stream(cursor -> list(filter, cursor));
  }

  public ApiTask get(UUID task) {
    return transport.send(ClientRequest.get("/v1/tasks/{}", task)).read(ApiTask::fromJson);
  }

  /** Replaces what is kept with the task. */
  public void updateUserMetadata(UUID task, JsonObject metadata) {
    transport.send(
        ClientRequest.patch("/v1/tasks/{}/user-metadata", task).repeatable().body(metadata));
  }

  /**
   * Says what became of a task. With a token this may be repeated: the server answers the same.
   * Without one it is not, unless it was not sent: a second try could meet another's claim.
   *
   * @throws ApiException with status 409 if the claim is another's by now, or the job has ended
   */
  public ApiTask updateStatus(UUID task, @Nullable String token, TaskStatusUpdate answer) {
    ClientRequest request =
        ClientRequest.put("/v1/tasks/{}/status", task).body(answer.toJson(token));
    return transport.send(fenced(request, token)).read(ApiTask::fromJson);
  }

  /**
   * Renews the lease.
   *
   * @param progress whether the task got further since the last time
   * @throws ApiException with status 409 if the claim is another's by now
   */
  public HeartbeatResponse heartbeat(UUID task, @Nullable String token, boolean progress) {
    return transport.send(heart(task, token, progress)).read(HeartbeatResponse::fromJson);
  }

  /** As above, for who beats again soon: once, and not longer than {@code limit}. */
  public HeartbeatResponse heartbeat(
      UUID task, @Nullable String token, boolean progress, Duration limit) {
    return transport
        .send(heart(task, token, progress).notRepeatable().timeoutPerTry(limit))
        .read(HeartbeatResponse::fromJson);
  }

  private static ClientRequest heart(UUID task, @Nullable String token, boolean progress) {
    JsonObject body = JsonObject.create().putIfPresent("token", token);
    if (progress) {
      body.put("progress", true);
    }
    return ClientRequest.put("/v1/tasks/{}/heartbeat", task).body(body);
  }

  /** Only a token tells the server that a repetition is one. */
  private static ClientRequest fenced(ClientRequest request, @Nullable String token) {
    return token == null ? request.notRepeatable() : request;
  }

  /** Gives a task back without costing an attempt. Repeated as {@link #updateStatus} is. */
  public ApiTask release(UUID task, @Nullable String token, @Nullable String reason) {
    JsonObject body =
        JsonObject.create().putIfPresent("token", token).putIfPresent("reason", reason);
    ClientRequest request = ClientRequest.put("/v1/tasks/{}/release", task).body(body);
    return transport.send(fenced(request, token)).read(ApiTask::fromJson);
  }

  /** Adds lines to the job's log. Not repeated by itself unless it was not sent. */
  public void log(UUID task, @Nullable String token, List<NewLogLine> lines) {
    transport.send(
        ClientRequest.post("/v1/tasks/{}/logs", task)
            .body(
                JsonObject.create()
                    .putIfPresent("token", token)
                    .put("lines", lines.stream().map(NewLogLine::toJson).toList())));
  }
}
