package dev.millrace.bench.http;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewSo1Job;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.StagesApi.DequeueRequest;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The client library, shared by all threads as in a program. It sends an idempotency key with each
 * new job, which costs the server a durable note.
 */
final class SdkClient implements BenchClient {
  private final MillraceClient api;
  private final MillraceClient empty;

  SdkClient(BenchServer host) {
    api = MillraceClient.at(host.api());
    empty = MillraceClient.at(host.empty());
  }

  @Override
  public void empty() {
    empty.jobs().create(job());
  }

  @Override
  public void openJob() {
    api.jobs().create(job());
  }

  /** It never sends one without. */
  @Override
  public void keyedJob() {
    openJob();
  }

  private static NewJob job() {
    return NewJob.of("bench").data(JsonObject.create().put("prompt", PROMPT));
  }

  @Override
  public void generate() {
    api.so1().create(NewSo1Job.prompt(GENERATE, PROMPT));
  }

  @Override
  public Optional<HeldTask> dequeue(String type, int waitSeconds) {
    List<ClaimedTask> tasks =
        api.stages()
            .dequeue(
                new DequeueRequest(
                    type,
                    WORKER,
                    Duration.ofSeconds(LEASE_SECONDS),
                    1,
                    Duration.ofSeconds(waitSeconds)));
    return tasks.stream().findFirst().map(SdkClient::held);
  }

  private static HeldTask held(ClaimedTask task) {
    return new HeldTask(task.id().toString(), Objects.requireNonNull(task.token()));
  }

  @Override
  public void complete(HeldTask held) {
    api.tasks()
        .updateStatus(
            UUID.fromString(held.task()), held.token(), TaskStatusUpdate.completed("done"));
  }

  @Override
  public void close() {
    api.close();
    empty.close();
  }
}
