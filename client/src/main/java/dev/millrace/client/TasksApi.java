package dev.millrace.client;

import dev.millrace.api.ApiTask;
import dev.millrace.api.HeartbeatResponse;
import dev.millrace.api.NewLogLine;
import dev.millrace.api.PageOf;
import dev.millrace.api.SseEvent;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.api.server.TaskVerdict;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.SseParser;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks and the reports of workers: {@code /v1/tasks}. The token is that of the claim; null for a
 * claim without one. Thread-safe.
 */
public final class TasksApi {
  private final ApiTransport transport;

  TasksApi(ApiTransport transport) {
    this.transport = transport;
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

  /**
   * Follows the text of a task until the task has ended; reconnects as needed. {@code
   * TaskOutput.fromJson} reads the events {@code output}, {@code TaskOutputEnd.fromJson} the last
   * one, {@code end}.
   *
   * @param from the position to begin at: {@code next} of a piece; 0: the start
   */
  public ServerEventStream output(UUID task, long from) {
    return new ServerEventStream(transport, new OutputEvents(task, from));
  }

  private record OutputEvents(UUID task, long from) implements ServerEventStream.Source {
    @Override
    public String what() {
      return "output of " + task;
    }

    @Override
    public ClientRequest request(@Nullable String lastId) {
      ClientRequest request = ClientRequest.get("/v1/tasks/{}/output", task);
      return lastId == null
          ? request.query("from", from == 0 ? null : from)
          : request.header("Last-Event-ID", lastId);
    }

    @Override
    public boolean isLast(SseEvent event) {
      return event.event().equals("end");
    }
  }

  /** Replaces the user metadata of the task. */
  public void updateUserMetadata(UUID task, JsonObject metadata) {
    LeverRequest.describe("tasks", task, metadata).send(transport);
  }

  /**
   * Reports that a task is completed or failed. Retried safely with a token: the server gives the
   * same answer again. Without a token it is retried only if it was not sent, because a second try
   * could hit the claim of another worker.
   *
   * @throws ApiException with status 409 if another worker has the claim, or the job has ended
   */
  public ApiTask updateStatus(UUID task, @Nullable String token, TaskStatusUpdate update) {
    ClientRequest request =
        ClientRequest.put("/v1/tasks/{}/status", task).body(update.toJson(token));
    return transport.send(retryWithToken(request, token)).read(ApiTask::fromJson);
  }

  /**
   * Renews the lease.
   *
   * @param progress whether the task has progressed since the last heartbeat
   * @throws ApiException with status 409 if another worker has the claim
   */
  public HeartbeatResponse heartbeat(UUID task, @Nullable String token, boolean progress) {
    return transport
        .send(heartbeatRequest(task, token, progress))
        .read(HeartbeatResponse::fromJson);
  }

  /** Renews the lease with one try of at most {@code limit}: the next heartbeat is the retry. */
  public HeartbeatResponse heartbeat(
      UUID task, @Nullable String token, boolean progress, Duration limit) {
    return transport
        .send(heartbeatRequest(task, token, progress).notRepeatable().timeoutPerTry(limit))
        .read(HeartbeatResponse::fromJson);
  }

  private static ClientRequest heartbeatRequest(
      UUID task, @Nullable String token, boolean progress) {
    JsonObject body = JsonObject.create().putIfPresent("token", token);
    if (progress) {
      body.put("progress", true);
    }
    return ClientRequest.put("/v1/tasks/{}/heartbeat", task).body(body);
  }

  /** Only with a token does the server recognize a repeated request. */
  private static ClientRequest retryWithToken(ClientRequest request, @Nullable String token) {
    return token == null ? request.notRepeatable() : request;
  }

  /** Returns a task to the queue; costs no attempt. Retried like {@link #updateStatus}. */
  public ApiTask release(UUID task, @Nullable String token, @Nullable String reason) {
    JsonObject body =
        JsonObject.create().putIfPresent("token", token).putIfPresent("reason", reason);
    ClientRequest request = ClientRequest.put("/v1/tasks/{}/release", task).body(body);
    return transport.send(retryWithToken(request, token)).read(ApiTask::fromJson);
  }

  /**
   * Runs a completed task again on a model of the server, and compares the bytes. Waits for that;
   * an interrupt cancels it.
   *
   * @param atMost how long it may take
   * @throws ApiException with status 400 if no model made its result, or it has not completed
   */
  public TaskVerdict verify(UUID task, Duration atMost) {
    ClientRequest request =
        ClientRequest.post("/v1/tasks/{}/verify", task)
            .header("Accept", "text/event-stream")
            .timeoutPerTry(atMost);
    SseParser parser = new SseParser();
    return transport
        .send(request)
        .text()
        .lines()
        .map(parser::accept)
        .filter(event -> event != null && event.event().equals("verdict"))
        .map(event -> TaskVerdict.fromJson(event.json()))
        .findFirst()
        .orElseThrow(
            () ->
                NetworkException.of(
                    "verdict on " + task, new IOException("the stream ended early")));
  }

  /** Adds lines to the log of the job. Retried only if the request was not sent. */
  public void log(UUID task, @Nullable String token, List<NewLogLine> lines) {
    transport.send(
        ClientRequest.post("/v1/tasks/{}/logs", task)
            .body(
                JsonObject.create()
                    .putIfPresent("token", token)
                    .put("lines", lines.stream().map(NewLogLine::toJson).toList())));
  }
}
