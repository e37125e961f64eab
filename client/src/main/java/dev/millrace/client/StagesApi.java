package dev.millrace.client;

import dev.millrace.client.wire.ApiStage;
import dev.millrace.client.wire.ApiTask;
import dev.millrace.client.wire.ClaimedTask;
import dev.millrace.client.wire.NewTask;
import dev.millrace.client.wire.PageOf;
import dev.millrace.client.wire.StageFilter;
import dev.millrace.client.wire.StageSummary;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/stages}. Thread-safe. */
public final class StagesApi {
  private final Channel channel;

  StagesApi(Channel channel) {
    this.channel = channel;
  }

  /**
   * What a worker asks for.
   *
   * @param worker its name, 1 to 100 printable characters
   * @param lease how long a claim lives without a heartbeat, 5 s to 1 h
   * @param limit most tasks
   * @param longPoll how long the server may wait for the first, up to 60 s
   */
  public record Demand(String type, String worker, Duration lease, int limit, Duration longPoll) {
    public Demand {
      if (worker.isEmpty()
          || worker.length() > 100
          || !worker.chars().allMatch(c -> c >= 32 && c < 127)) {
        throw new IllegalArgumentException(
            "a worker's name has 1 to 100 printable ASCII characters");
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
    return channel
        .send(
            Request.get("/v1/stages")
                .query("job_id", filter.job())
                .query("stage_type", filter.type())
                .query("stage_operation_status", filter.state())
                .query("should_return_tasks", Channel.wish(filter.tasks()))
                .query("limit", Channel.limit(filter.limit()))
                .query("cursor", cursor))
        .page(ApiStage::read);
  }

  public Stream<ApiStage> all(StageFilter filter) {
    return PageOf.stream(cursor -> list(filter, cursor));
  }

  public ApiStage get(UUID stage) {
    return get(stage, false);
  }

  /**
   * @param tasks whether to tell its tasks too, at most 1,000 of them
   */
  public ApiStage get(UUID stage, boolean tasks) {
    return channel
        .send(Request.get("/v1/stages/{}", stage).query("should_return_tasks", Channel.wish(tasks)))
        .read(ApiStage::read);
  }

  public StageSummary summary(UUID stage) {
    return channel.send(Request.get("/v1/stages/{}/summary", stage)).read(StageSummary::read);
  }

  /** Replaces what is kept with the stage. */
  public void userMetadata(UUID stage, JsonObject metadata) {
    channel.send(Request.patch("/v1/stages/{}/user-metadata", stage).repeatable().body(metadata));
  }

  /** Lets a stage that waits for approval go on. */
  public void approve(UUID stage) {
    Request request =
        Request.put("/v1/stages/{}/status", stage)
            .body(JsonObject.create().put("status", "PENDING"));
    channel.settle(request, refused -> refused.isIllegalMove() && get(stage).status().open());
  }

  /** One page of a stage's tasks in order. */
  public PageOf<ApiTask> tasks(UUID stage, int limit, @Nullable String cursor) {
    return channel
        .send(
            Request.get("/v1/stages/{}/tasks", stage)
                .query("limit", Channel.limit(limit))
                .query("cursor", cursor))
        .page(ApiTask::read);
  }

  public Stream<ApiTask> tasks(UUID stage) {
    return PageOf.stream(cursor -> tasks(stage, 0, cursor));
  }

  /**
   * Adds tasks to a stage of an open job that does not run yet; none at all close an empty stage. Not
   * repeated by itself unless it was not sent, for the server would add them again: after a {@link
   * NetworkException} look at the stage's {@link #tasks(UUID)}, where either all are or none, and add
   * them only if they are not there.
   */
  public List<ApiTask> addTasks(UUID stage, List<NewTask> tasks) {
    return channel
        .produce(
            "task",
            Request.post("/v1/stages/{}/tasks", stage)
                .body(tasks.stream().map(NewTask::toJson).toList()))
        .list(ApiTask::read);
  }

  /**
   * Claims tasks, each with a token that its answers must show; empty where there is nothing to do.
   * Never repeated by itself unless it was not sent: where an answer is lost the tasks in it are
   * claimed, nobody works on them, and they go to somebody else when their lease has run out.
   */
  public List<ClaimedTask> dequeue(Demand demand) {
    Request request =
        Request.patch("/v1/stages/{}/tasks/dequeue", demand.type())
            .header("Millrace-Worker", demand.worker())
            .query("lease", demand.lease().toSeconds())
            .query("limit", demand.limit())
            .query("wait", demand.longPoll().toSeconds())
            .patience(demand.longPoll());
    return dequeue(demand.type(), () -> channel.send(request).list(ClaimedTask::read), List.of());
  }

  /** As stock workers do: one task, no token, a lease of 30 minutes. */
  public Optional<ClaimedTask> dequeue(String type) {
    Request request = Request.patch("/v1/stages/{}/tasks/dequeue", type);
    return dequeue(
        type, () -> Optional.of(channel.send(request).read(ClaimedTask::read)), Optional.empty());
  }

  private <T> T dequeue(String type, java.util.function.Supplier<T> ask, T nothing) {
    long start = channel.timing().nanos();
    try {
      return ask.get();
    } catch (ApiException e) {
      if (e.code().equals("TASK_NOT_FOUND")) {
        return nothing;
      }
      throw e;
    } finally {
      channel.meters().dequeued(type, channel.since(start));
    }
  }
}
