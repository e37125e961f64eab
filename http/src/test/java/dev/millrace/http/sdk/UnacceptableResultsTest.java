package dev.millrace.http.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.worker.TaskHandler;
import dev.millrace.client.worker.Worker;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Results that no server accepts: the task still ends, and is not retried for ever. */
@Tag("slow")
class UnacceptableResultsTest {
  private static final int MIB = 1 << 20;

  private final SdkTestServer server = new SdkTestServer();
  private final MillraceClient client = server.client;

  @AfterEach
  void close() {
    server.close();
  }

  /** The only task of a new job, after {@code handler} has run. */
  private ApiTask after(int attempts, TaskHandler handler) {
    ApiJob job = client.jobs().create(NewJob.of("invalid"));
    TaskPolicy policy = new TaskPolicy(attempts, TaskPolicy.DEFAULT.backoff(), null, null, 3);
    ApiStage stage = client.jobs().addStage(job.id(), NewStage.of("resize").policy(policy));
    UUID task =
        client
            .stages()
            .addTasks(stage.id(), List.of(NewTask.of(JsonObject.create())))
            .getFirst()
            .id();
    try (Worker worker =
        Worker.builder(client, "resize", handler).longPoll(Duration.ofSeconds(1)).build()) {
      worker.start();
      await().atMost(Duration.ofSeconds(60)).until(() -> client.tasks().get(task).attempts() > 0);
    }
    return client.tasks().get(task);
  }

  @Test
  void longErrorIsTruncated() {
    ApiTask task =
        after(
            2,
            one -> {
              one.partial("é".repeat(2 * MIB));
              throw new IllegalStateException("x".repeat(2 * MIB));
            });

    assertThat(task.status()).as("another attempt may help").isEqualTo(TaskState.RETRIED);
    assertThat(task.error()).hasSize(4_000).startsWith("IllegalStateException: xxx");
  }

  @Test
  void tooLargeResultFailsTheTask() {
    for (int size : new int[] {1, 2, 16}) {
      ApiTask task = after(3, one -> "x".repeat(size * MIB));

      assertThat(task.status()).as("%d MiB", size).isEqualTo(TaskState.FAILED);
      assertThat(task.error()).startsWith("the result was refused: ");
    }
  }

  @Test
  void resultThatIsNotJsonFailsTheTask() {
    ApiTask task = after(3, one -> List.of(1.0, Double.NaN));

    assertThat(task.status()).isEqualTo(TaskState.FAILED);
    assertThat(task.error()).contains("JSON has no number for NaN");
  }

  @Test
  void tooLargeReceiptFailsTheTaskWithoutARetry() {
    ApiTask task =
        after(
            3,
            one -> {
              one.receipt(JsonObject.create().put("scan", "x".repeat(2 * MIB)));
              throw new IllegalStateException("no ink");
            });

    assertThat(task.status()).isEqualTo(TaskState.FAILED);
    assertThat(task.error()).startsWith("IllegalStateException: no ink; ");
  }
}
