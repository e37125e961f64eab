package dev.millrace.client;

import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.ClaimedTask;
import dev.millrace.api.NewTask;
import dev.millrace.api.PageOf;
import dev.millrace.api.StageSummary;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stages and the claims of workers: {@code /v1/stages}. Thread-safe. */
public final class StagesApi {
  private final ApiTransport transport;

  StagesApi(ApiTransport transport) {
    this.transport = transport;
  }

  /**
   * A request of a worker for tasks.
   *
   * @param worker the name of the worker, 1 to 100 printable characters
   * @param lease how long a claim lasts without a heartbeat, 5 s to 1 h
   * @param limit the most tasks to claim, 1 to 1000
   * @param longPoll how long the server may wait for the first task, up to 60 s
   */
  public record DequeueRequest(
      String type, String worker, Duration lease, int limit, Duration longPoll) {
    public DequeueRequest {
      if (worker.isEmpty()
          || worker.length() > 100
          || !worker.chars().allMatch(c -> c >= 32 && c < 127)) {
        throw new IllegalArgumentException(
            "a worker's name must have 1 to 100 printable ASCII characters, got \""
                + worker
                + "\"");
      }
      range("lease", lease, 5, 3_600);
      range("wait", longPoll, 0, 60);
      if (limit < 1 || limit > 1_000) {
        throw new IllegalArgumentException("limit must be 1 to 1000, got " + limit);
      }
    }

    private static void range(String name, Duration value, long least, long most) {
      if (value.compareTo(Duration.ofSeconds(least)) < 0
          || value.compareTo(Duration.ofSeconds(most)) > 0) {
        throw new IllegalArgumentException(
            name + " must be " + least + " to " + most + " seconds, got " + value);
      }
    }
  }

  public PageOf<ApiStage> list(StageFilter filter, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/stages")
                .query("job_id", filter.job())
                .query("stage_type", filter.type())
                .query("stage_operation_status", filter.state())
                .query("should_return_tasks", ApiTransport.trueOrNull(filter.tasks()))
                .query("limit", ApiTransport.limitOrNull(filter.limit()))
                .query("cursor", cursor))
        .page(ApiStage::fromJson);
  }

  public Stream<ApiStage> all(StageFilter filter) {
    return PageOf.stream(cursor -> list(filter, cursor));
  }

  public ApiStage get(UUID stage) {
    return get(stage, false);
  }

  /**
   * @param tasks whether to include its tasks, at most 1,000 of them
   */
  public ApiStage get(UUID stage, boolean tasks) {
    return transport
        .send(
            ClientRequest.get("/v1/stages/{}", stage)
                .query("should_return_tasks", ApiTransport.trueOrNull(tasks)))
        .read(ApiStage::fromJson);
  }

  public StageSummary summary(UUID stage) {
    return transport
        .send(ClientRequest.get("/v1/stages/{}/summary", stage))
        .read(StageSummary::fromJson);
  }

  /** Replaces the user metadata of the stage. */
  public void updateUserMetadata(UUID stage, JsonObject metadata) {
    LeverRequest.describe("stages", stage, metadata).send(transport);
  }

  /** Approves a stage that waits for approval. */
  public void approve(UUID stage) {
    approve(stage, null);
  }

  /**
   * @param comment why, for the job's log; null: it does not say
   */
  public void approve(UUID stage, @Nullable String comment) {
    LeverRequest.approve(stage, comment).send(transport);
  }

  /** One page of a stage's tasks in order. */
  public PageOf<ApiTask> tasks(UUID stage, int limit, @Nullable String cursor) {
    return transport
        .send(
            ClientRequest.get("/v1/stages/{}/tasks", stage)
                .query("limit", ApiTransport.limitOrNull(limit))
                .query("cursor", cursor))
        .page(ApiTask::fromJson);
  }

  public Stream<ApiTask> tasks(UUID stage) {
    return PageOf.stream(cursor -> tasks(stage, 0, cursor));
  }

  /**
   * Adds tasks to a stage of an open job that does not run yet; an empty list completes an empty
   * stage. Retried only if the request was not sent, because the server would add the tasks again.
   * After a {@link dev.millrace.client.error.NetworkException}, check the stage's {@link
   * #tasks(UUID)}: it has all of them or none. Add them only if they are missing.
   */
  public List<ApiTask> addTasks(UUID stage, List<NewTask> tasks) {
    return LeverRequest.addTasks(stage, tasks).send(transport).list(ApiTask::fromJson);
  }

  /**
   * Claims tasks; empty if there are none. Each has a fencing token that its reports must carry.
   * Retried only if the request was not sent: if an answer is lost, its tasks stay claimed until
   * their lease expires, then another worker gets them.
   */
  public List<ClaimedTask> dequeue(DequeueRequest wanted) {
    ClientRequest request =
        ClientRequest.patch("/v1/stages/{}/tasks/dequeue", wanted.type())
            .header("Millrace-Worker", wanted.worker())
            .query("lease", wanted.lease().toSeconds())
            .query("limit", wanted.limit())
            .query("wait", wanted.longPoll().toSeconds())
            .extraTime(wanted.longPoll());
    return dequeue(
        wanted.type(), () -> transport.send(request).list(ClaimedTask::fromJson), List.of());
  }

  /** Claims one task as Jobnik workers do: without a token, with a lease of 30 minutes. */
  public Optional<ClaimedTask> dequeue(String type) {
    ClientRequest request = ClientRequest.patch("/v1/stages/{}/tasks/dequeue", type);
    return dequeue(
        type,
        () -> Optional.of(transport.send(request).read(ClaimedTask::fromJson)),
        Optional.empty());
  }

  private <T> T dequeue(String type, Supplier<T> claim, T nothing) {
    long start = transport.timeSource().nanos();
    try {
      return claim.get();
    } catch (ApiException e) {
      if (e.code().equals("TASK_NOT_FOUND")) {
        return nothing;
      }
      throw e;
    } finally {
      transport.meters().dequeued(type, transport.since(start));
    }
  }
}
