package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.PageOf;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/jobs} and {@code /v1/pipelines}. Thread-safe. */
public final class JobsApi {
  private final ApiTransport transport;

  JobsApi(ApiTransport channel) {
    this.transport = channel;
  }

  /** Makes a job to which stages are added; safe to repeat by itself. */
  public ApiJob create(NewJob job) {
    return create(job, null);
  }

  /**
   * @param key by which the server knows a repetition; null: a fresh one
   */
  public ApiJob create(NewJob job, @Nullable String key) {
    return transport
        .sendCreate("job", ClientRequest.post("/v1/jobs").idempotencyKey(key).body(job.toJson()))
        .read(ApiJob::fromJson);
  }

  /** Makes a whole job with its stages and tasks in one request. */
  public ApiJob submit(JobSpec spec) {
    return submit(JobDocument.write(spec, true), null);
  }

  /**
   * @param document as {@code work --job} reads it
   * @param key by which the server knows a repetition; null: a fresh one
   */
  public ApiJob submit(JsonObject document, @Nullable String key) {
    return transport
        .sendCreate("job", ClientRequest.post("/v1/pipelines").idempotencyKey(key).body(document))
        .read(ApiJob::fromJson);
  }

  /** One page of jobs; the first where {@code cursor} is null. */
  public PageOf<ApiJob> list(JobFilter filter, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/jobs")
                .query("job_name", filter.name())
                .query("priority", filter.priority())
                .query("from_date", filter.from())
                .query("end_date", filter.until())
                .query("should_return_stages", ApiTransport.trueOrNull(filter.stages()))
                .query("limit", ApiTransport.limitOrNull(filter.limit()))
                .query("cursor", cursor))
        .page(ApiJob::fromJson);
  }

  /** All of them, asked for page by page. */
  public Stream<ApiJob> all(JobFilter filter) {
    return PageOf.stream(cursor -> list(filter, cursor));
  }

  /** The job, without its stages. */
  public ApiJob get(UUID job) {
    return get(job, false);
  }

  public ApiJob get(UUID job, boolean stages) {
    return transport
        .send(
            ClientRequest.get("/v1/jobs/{}", job)
                .query("should_return_stages", ApiTransport.trueOrNull(stages)))
        .read(ApiJob::fromJson);
  }

  /** Deletes a job that has ended. */
  public void delete(UUID job) {
    transport.sendChange(ClientRequest.delete("/v1/jobs/{}", job), ApiException::isNotFound);
  }

  /** Replaces what is kept with the job. */
  public void updateUserMetadata(UUID job, JsonObject metadata) {
    transport.send(
        ClientRequest.patch("/v1/jobs/{}/user-metadata", job).repeatable().body(metadata));
  }

  /**
   * Gives a job another priority.
   *
   * @return false if it has that one already
   */
  public boolean updatePriority(UUID job, Priority priority) {
    JsonObject body = JsonObject.create().put("priority", priority.name());
    ClientRequest request =
        ClientRequest.patch("/v1/jobs/{}/priority", job).repeatable().body(body);
    return transport.send(request).status() != 204;
  }

  /** PENDING resumes, PAUSED pauses, ABORTED ends it with all its stages and tasks. */
  public void updateStatus(UUID job, JobState status) {
    ClientRequest request =
        ClientRequest.put("/v1/jobs/{}/status", job)
            .body(JsonObject.create().put("status", status.name()));
    transport.sendChange(
        request, refused -> refused.isIllegalTransition() && has(get(job).status(), status));
  }

  /** Whether {@code now} is what {@code wanted} leads to; a job that is resumed may run by now. */
  private static boolean has(JobState now, JobState wanted) {
    return now == wanted || wanted == JobState.PENDING && now.isOpen();
  }

  public void pause(UUID job) {
    updateStatus(job, JobState.PAUSED);
  }

  public void resume(UUID job) {
    updateStatus(job, JobState.PENDING);
  }

  public void abort(UUID job) {
    updateStatus(job, JobState.ABORTED);
  }

  /** One page of a job's stages in order. */
  public PageOf<ApiStage> stages(UUID job, boolean tasks, int limit, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/jobs/{}/stages", job)
                .query("should_return_tasks", ApiTransport.trueOrNull(tasks))
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor))
        .page(ApiStage::fromJson);
  }

  /** All stages of a job in order, without tasks. */
  public Stream<ApiStage> stages(UUID job) {
    return PageOf.stream(cursor -> stages(job, false, 0, cursor));
  }

  /**
   * Adds a stage to an open job. Not repeated by itself unless it was not sent, for the server would
   * add another: after a {@link NetworkException} look whether it is among the job's {@link
   * #stages(UUID)}, and add it only if not.
   */
  public ApiStage addStage(UUID job, NewStage stage) {
    return transport
        .sendCreate("stage", ClientRequest.post("/v1/jobs/{}/stage", job).body(stage.toJson()))
        .read(ApiStage::fromJson);
  }
}
