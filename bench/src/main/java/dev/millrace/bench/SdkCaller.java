package dev.millrace.bench;

import dev.millrace.client.MillraceClient;
import dev.millrace.client.StagesApi.Demand;
import dev.millrace.client.wire.ClaimedTask;
import dev.millrace.client.wire.NewJob;
import dev.millrace.client.wire.NewSo1Job;
import dev.millrace.client.wire.TaskAnswer;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The client that programs use, shared by all threads as they would. Its creations carry a key by
 * which the server knows a repetition, which costs the server two durable notes.
 */
final class SdkCaller implements Caller {
  private final MillraceClient api;
  private final MillraceClient empty;

  SdkCaller(Host host) {
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

  private static NewJob job() {
    return NewJob.of("bench").data(JsonObject.create().put("prompt", PROMPT));
  }

  @Override
  public void generate() {
    api.so1().create(NewSo1Job.prompt(GENERATE, PROMPT));
  }

  @Override
  public Optional<Held> dequeue(String type, int waitSeconds) {
    List<ClaimedTask> tasks =
        api.stages()
            .dequeue(
                new Demand(
                    type,
                    WORKER,
                    Duration.ofSeconds(LEASE_SECONDS),
                    1,
                    Duration.ofSeconds(waitSeconds)));
    return tasks.stream().findFirst().map(SdkCaller::held);
  }

  private static Held held(ClaimedTask task) {
    return new Held(task.id().toString(), Objects.requireNonNull(task.token()));
  }

  @Override
  public void complete(Held held) {
    api.tasks().answer(UUID.fromString(held.task()), held.token(), TaskAnswer.completed("done"));
  }

  @Override
  public void close() {
    api.close();
    empty.close();
  }
}
