package dev.millrace.client;

import dev.millrace.api.CallerIdentity;
import dev.millrace.api.LogLine;
import dev.millrace.api.NewSo1Job;
import dev.millrace.api.PageOf;
import dev.millrace.api.So1Job;
import dev.millrace.api.So1State;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.core.json.JsonObject;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs, logs and events of the so1 API: {@code /api}. Thread-safe. */
public final class So1Api {
  private final ApiTransport transport;

  So1Api(ApiTransport transport) {
    this.transport = transport;
  }

  /** Creates a job. Retried safely. */
  public So1Job create(NewSo1Job job) {
    return create(job, null);
  }

  /**
   * @param key the idempotency key, by which the server recognizes a repeated request for 24 hours;
   *     null for a new one
   */
  public So1Job create(NewSo1Job job, @Nullable String key) {
    return transport
        .sendCreate("job", ClientRequest.post("/api/jobs").idempotencyKey(key).body(job.toJson()))
        .read("job", So1Job::fromJson);
  }

  public So1Job get(UUID job) {
    return transport.send(ClientRequest.get("/api/jobs/{}", job)).read("job", So1Job::fromJson);
  }

  /** One page of jobs, newest first. */
  public PageOf<So1Job> list(
      @Nullable So1State state, @Nullable String tag, int limit, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/api/jobs")
                .query("state", state == null ? null : state.word())
                .query("tag", tag)
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor))
        .page("jobs", So1Job::fromJson);
  }

  /** All jobs, newest first, fetched page by page. */
  public Stream<So1Job> all(@Nullable So1State state, @Nullable String tag) {
    return PageOf.stream(cursor -> list(state, tag, 0, cursor));
  }

  /** Cancels a job; does nothing if it is already cancelled. */
  public So1Job cancel(UUID job) {
    return cancel(job, null);
  }

  /**
   * @param reason why, at most 500 characters, for the job and its log; may be null
   */
  public So1Job cancel(UUID job, @Nullable String reason) {
    ClientRequest request = ClientRequest.post("/api/jobs/{}/cancel", job).repeatable();
    return transport
        .send(reason == null ? request : request.body(JsonObject.create().put("reason", reason)))
        .read("job", So1Job::fromJson);
  }

  /** One page of the log; the first page where {@code cursor} is null. */
  public PageOf<LogLine> logs(UUID job, int limit, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/api/jobs/{}/logs", job)
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor))
        .page("lines", LogLine::fromJson);
  }

  /** The whole log up to now, fetched page by page. */
  public Stream<LogLine> logs(UUID job) {
    return PageOf.stream(cursor -> logs(job, 0, cursor));
  }

  /**
   * Follows a job until its final status; reconnects as needed.
   *
   * @param cursor the log entry to start after; null for the first entry, or for only the final
   *     status if the job has ended
   */
  public JobEventStream events(UUID job, @Nullable Long cursor) {
    return new JobEventStream(transport, job, cursor);
  }

  public CallerIdentity session() {
    return transport
        .send(ClientRequest.get("/api/auth/session"))
        .read("session", CallerIdentity::fromJson);
  }
}
