package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.PageOf;
import dev.millrace.api.PrunableJob;
import dev.millrace.api.PruneRequest;
import dev.millrace.api.TaskTerms;
import dev.millrace.api.UnreadableJob;
import dev.millrace.api.jobs.CheckedPipeline;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs: {@code /v1/jobs} and {@code /v1/pipelines}. Thread-safe. */
public final class JobsApi {
  /** The server answers when all jobs are deleted. */
  private static final Duration PRUNE_TIMEOUT = Duration.ofMinutes(10);

  /** The server answers when all results are copied. */
  private static final Duration COPY_TIMEOUT = Duration.ofMinutes(10);

  private static final String STILL_PRUNING =
      "the server may still be pruning; a dry run shows what is left";

  private final ApiTransport transport;
  private final Duration pruneTimeout;

  JobsApi(ApiTransport transport) {
    this(transport, PRUNE_TIMEOUT);
  }

  JobsApi(ApiTransport transport, Duration pruneTimeout) {
    this.transport = transport;
    this.pruneTimeout = pruneTimeout;
  }

  /** Creates a job without stages, to which stages are added later. Retried safely. */
  public ApiJob create(NewJob job) {
    return create(job, null);
  }

  /**
   * @param key the idempotency key, by which the server recognizes a repeated request; null for a
   *     new one
   */
  public ApiJob create(NewJob job, @Nullable String key) {
    return transport
        .sendCreate("job", ClientRequest.post("/v1/jobs").idempotencyKey(key).body(job.toJson()))
        .read(ApiJob::fromJson);
  }

  /** Creates a whole job with its stages and tasks in one request. Retried safely. */
  public ApiJob submit(JobSpec spec) {
    return submit(JobDocument.write(spec, true), null);
  }

  /**
   * @param document the job document, as {@code work --job} reads it
   * @param key the idempotency key, by which the server recognizes a repeated request; null for a
   *     new one
   */
  public ApiJob submit(JsonObject document, @Nullable String key) {
    return transport
        .sendCreate("job", ClientRequest.post("/v1/pipelines").idempotencyKey(key).body(document))
        .read(ApiJob::fromJson);
  }

  /** Checks a job document as a submission would, and stores nothing. */
  public CheckedPipeline check(JsonObject document) {
    return transport
        .send(ClientRequest.post("/v1/pipelines/check").repeatable().body(document))
        .read(CheckedPipeline::fromJson);
  }

  /**
   * Runs a job that has ended again, as a new job that adopts what was completed. Retried safely.
   *
   * @param fromStart whether to repeat everything
   */
  public ApiJob.Retried retry(UUID job, boolean fromStart) {
    return retry(job, fromStart, null);
  }

  /**
   * @param key the idempotency key, by which the server recognizes a repeated request; null for a
   *     new one
   */
  public ApiJob.Retried retry(UUID job, boolean fromStart, @Nullable String key) {
    return retry(job, fromStart, key, null);
  }

  /**
   * @param comment why, for the log of the new job; null: it does not say
   */
  public ApiJob.Retried retry(
      UUID job, boolean fromStart, @Nullable String key, @Nullable String comment) {
    JsonObject body =
        JsonObject.create().put("fromStart", fromStart).putIfPresent("comment", comment);
    return transport
        .sendCreate(
            "job",
            ClientRequest.post("/v1/jobs/{}/retry", job)
                .idempotencyKey(key)
                .body(body)
                .timeoutPerTry(COPY_TIMEOUT))
        .read(ApiJob.Retried::fromJson);
  }

  /** One page of jobs; the first page where {@code cursor} is null. */
  public PageOf<ApiJob> list(JobFilter filter, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/jobs")
                .query("job_name", filter.name())
                .query("priority", filter.priority())
                .query("from_date", filter.from())
                .query("end_date", filter.until())
                .query("id_part", filter.idPart())
                .query("waits_for_approval", ApiTransport.trueOrNull(filter.atGate()))
                .query("should_return_stages", ApiTransport.trueOrNull(filter.stages()))
                .query("limit", ApiTransport.limitOrNull(filter.limit()))
                .query("cursor", cursor))
        .page(ApiJob::fromJson);
  }

  /** All jobs, fetched page by page. */
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

  /**
   * The job as it was submitted, with the stages and tasks added since: the document that {@link
   * #submit(JsonObject, String)} takes. Needs the scope {@code submit}, as it has the URLs of
   * webhooks.
   */
  public JsonObject document(UUID job) {
    return transport.send(ClientRequest.get("/v1/pipelines/{}", job)).read(document -> document);
  }

  /** One page of the frozen terms of a job's tasks; later ones of a task replace earlier ones. */
  public PageOf<TaskTerms> terms(UUID job, int limit, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/jobs/{}/terms", job)
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor))
        .page(TaskTerms::fromJson);
  }

  /** All frozen terms of a job's tasks, fetched page by page. */
  public Stream<TaskTerms> terms(UUID job) {
    return PageOf.stream(cursor -> terms(job, 0, cursor));
  }

  /** Deletes a job that has ended. */
  public void delete(UUID job) {
    LeverRequest.delete(job).send(transport);
  }

  /**
   * Deletes old finished jobs; needs the scope {@code admin}. Retried only if the request was not
   * sent: if its answer is lost, the server may still be deleting, and {@link #prunable} shows what
   * is left.
   *
   * @return how many were deleted
   */
  public int prune(PruneRequest request) {
    try {
      return transport
          .send(prune(request, false).timeoutPerTry(pruneTimeout))
          .read(body -> Math.toIntExact(body.integer("pruned")));
    } catch (NetworkException e) {
      throw e.isUnsent() ? e : e.withAdvice(STILL_PRUNING);
    } catch (ApiException e) {
      boolean answerLost = e.status() == 502 || e.status() == 504; // a proxy gave up
      throw answerLost ? e.withAdvice(STILL_PRUNING) : e;
    }
  }

  /** One page of the jobs that {@link #prune} would delete, oldest first. Deletes nothing. */
  public PrunableJobs prunable(PruneRequest request, int limit, @Nullable String cursor) {
    ClientResponse response =
        transport.send(
            prune(request, true)
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor));
    return new PrunableJobs(
        response.list("jobs", PrunableJob::fromJson),
        response.list("unreadable", UnreadableJob::fromJson),
        response.header("X-Next-Cursor"));
  }

  /** All jobs that {@link #prune} would delete, fetched page by page. */
  public PrunableJobs prunable(PruneRequest request) {
    List<PrunableJob> jobs = new ArrayList<>();
    List<UnreadableJob> unreadable = new ArrayList<>();
    String cursor = null;
    do {
      PrunableJobs page = prunable(request, 0, cursor);
      jobs.addAll(page.jobs());
      unreadable.addAll(page.unreadable());
      cursor = page.next();
    } while (cursor != null);
    return new PrunableJobs(jobs, unreadable, null);
  }

  private static ClientRequest prune(PruneRequest request, boolean dryRun) {
    ClientRequest post = ClientRequest.post("/v1/jobs/prune").body(request.toJson(dryRun));
    return dryRun ? post.repeatable() : post;
  }

  /** Replaces the user metadata of the job. */
  public void updateUserMetadata(UUID job, JsonObject metadata) {
    LeverRequest.describe("jobs", job, metadata).send(transport);
  }

  /**
   * Changes the priority of a job.
   *
   * @return false if the job already has this priority
   */
  public boolean updatePriority(UUID job, Priority priority) {
    return LeverRequest.prioritize(job, priority, null).send(transport).status() != 204;
  }

  /** PENDING resumes a job, PAUSED pauses it, ABORTED ends it with all its stages and tasks. */
  public void updateStatus(UUID job, JobState status) {
    updateStatus(job, status, null);
  }

  /**
   * @param comment why, for the job's log; null: it does not say
   */
  public void updateStatus(UUID job, JobState status, @Nullable String comment) {
    LeverRequest.status(job, status, comment).send(transport);
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
   * Adds a stage to an open job. Retried only if the request was not sent, because the server would
   * add a second stage. After a {@link NetworkException}, check the job's {@link #stages(UUID)} and
   * add the stage only if it is missing.
   */
  public ApiStage addStage(UUID job, NewStage stage) {
    return LeverRequest.addStage(job, stage).send(transport).read(ApiStage::fromJson);
  }
}
