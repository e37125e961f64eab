package dev.millrace.client;

import dev.millrace.client.wire.ApiTask;
import dev.millrace.client.wire.Heartbeat;
import dev.millrace.client.wire.PageOf;
import dev.millrace.client.wire.TaskAnswer;
import dev.millrace.client.wire.TaskFilter;
import dev.millrace.client.wire.TaskLine;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/tasks}. A token is what the claim gave, null for one without. Thread-safe. */
public final class TasksApi {
  private final Channel channel;

  TasksApi(Channel channel) {
    this.channel = channel;
  }

  public PageOf<ApiTask> list(TaskFilter filter, @Nullable String cursor) {
    return channel
        .send(
            Request.get("/v1/tasks")
                .query("stage_id", filter.stage())
                .query("stage_type", filter.type())
                .query("status", filter.state())
                .query("from_date", filter.from())
                .query("end_date", filter.until())
                .query("limit", Channel.limit(filter.limit()))
                .query("cursor", cursor))
        .page(ApiTask::read);
  }

  public Stream<ApiTask> all(TaskFilter filter) {
    return PageOf.stream(cursor -> list(filter, cursor));
  }

  public ApiTask get(UUID task) {
    return channel.send(Request.get("/v1/tasks/{}", task)).read(ApiTask::read);
  }

  /** Replaces what is kept with the task. */
  public void userMetadata(UUID task, JsonObject metadata) {
    channel.send(Request.patch("/v1/tasks/{}/user-metadata", task).repeatable().body(metadata));
  }

  /**
   * Says what became of a task. With a token this may be repeated: the server answers the same.
   * Without one it is not, unless it was not sent: a second try could meet another's claim.
   *
   * @throws ApiException with status 409 if the claim is another's by now, or the job has ended
   */
  public ApiTask answer(UUID task, @Nullable String token, TaskAnswer answer) {
    Request request = Request.put("/v1/tasks/{}/status", task).body(answer.toJson(token));
    return channel.send(fenced(request, token)).read(ApiTask::read);
  }

  /**
   * Renews the lease.
   *
   * @param progress whether the task got further since the last time
   * @throws ApiException with status 409 if the claim is another's by now
   */
  public Heartbeat heartbeat(UUID task, @Nullable String token, boolean progress) {
    return channel.send(heart(task, token, progress)).read(Heartbeat::read);
  }

  /** As above, for who beats again soon: once, and not longer than {@code limit}. */
  Heartbeat heartbeat(UUID task, @Nullable String token, boolean progress, Duration limit) {
    return channel
        .send(heart(task, token, progress).notRepeated().within(limit))
        .read(Heartbeat::read);
  }

  private static Request heart(UUID task, @Nullable String token, boolean progress) {
    JsonObject body = JsonObject.create().putIfPresent("token", token);
    if (progress) {
      body.put("progress", true);
    }
    return Request.put("/v1/tasks/{}/heartbeat", task).body(body);
  }

  /** Only a token tells the server that a repetition is one. */
  private static Request fenced(Request request, @Nullable String token) {
    return token == null ? request.notRepeated() : request;
  }

  /** Gives a task back without costing an attempt. Repeated as {@link #answer} is. */
  public ApiTask release(UUID task, @Nullable String token, @Nullable String reason) {
    JsonObject body =
        JsonObject.create().putIfPresent("token", token).putIfPresent("reason", reason);
    Request request = Request.put("/v1/tasks/{}/release", task).body(body);
    return channel.send(fenced(request, token)).read(ApiTask::read);
  }

  /** Adds lines to the job's log. Not repeated by itself unless it was not sent. */
  public void log(UUID task, @Nullable String token, List<TaskLine> lines) {
    channel.send(
        Request.post("/v1/tasks/{}/logs", task)
            .body(
                JsonObject.create()
                    .putIfPresent("token", token)
                    .put("lines", lines.stream().map(TaskLine::toJson).toList())));
  }
}
