package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.LOGS;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.STATUS;
import static dev.millrace.client.worker.WorkerFixture.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.ClientMetrics;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.core.json.JsonObject;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every task that ran is reported, whatever its handler returns or throws. */
class TaskReporterTest {
  private static final ScriptedServer.Script ACCEPTED =
      ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()));
  private static final ScriptedServer.Script TOO_LARGE =
      ScriptedServer.json(413, JsonObject.create().put("message", "too large").put("code", "X"));
  private static final int MIB = 1 << 20;

  private final WorkerFixture fixture = new WorkerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static int bytes(ScriptedServer.ReceivedRequest seen) {
    return seen.body().getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void longErrorAndPartialOutputAreTruncated() {
    fixture.start(
        fixture.worker(
            task -> {
              task.partial("\u0001".repeat(2 * MIB));
              throw new IllegalStateException("\u0001".repeat(2 * MIB));
            }));

    JsonObject answer = fixture.report();
    assertThat(bytes(fixture.server.seen(STATUS).getFirst())).isLessThan(MIB);
    assertThat(answer.string("error")).hasSize(4_000).endsWith("…");
    assertThat(answer.string("partial")).hasSize(150_000).endsWith("…");
    assertThat(answer.flag("retryable", true)).isTrue();
  }

  @Test
  void refusedFailureIsReportedAgainWithoutItsReceipt() {
    fixture.server.on(STATUS, TOO_LARGE, ACCEPTED);
    fixture.start(
        fixture.worker(
            task -> {
              task.receipt(JsonObject.create().put("scan", "x".repeat(100)));
              throw new IllegalStateException("no ink");
            }));

    fixture.awaitEvent(WorkerEvent.TaskFailed.class);
    assertThat(fixture.report().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"IllegalStateException: no ink;"
                + " the partial output or the receipt was refused: too"
                + " large\",\"retryable\":false}");
  }

  @Test
  void resultThatIsNotJsonFailsTheTaskWithoutARetry() {
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    Object unprintable =
        new Object() {
          @Override
          public String toString() {
            throw new UnsupportedOperationException("no words");
          }
        };
    fixture.queue(3);
    List<Object> results = new ArrayList<>(Arrays.asList(Double.NaN, itself, unprintable));
    fixture.start(fixture.worker(task -> results.removeFirst()));

    await().atMost(LONG).until(() -> fixture.events(WorkerEvent.TaskFailed.class).size() == 3);
    assertThat(fixture.server.seen(STATUS))
        .hasSize(3)
        .allSatisfy(one -> assertThat(one.json().flag("retryable", true)).isFalse())
        .extracting(one -> one.json().string("error"))
        .containsExactlyElementsOf(
            Stream.of(
                    "JsonException: JSON has no number for NaN",
                    "StackOverflowError",
                    "UnsupportedOperationException: no words")
                .map(why -> "the result was refused: cannot be written as JSON: " + why)
                .toList());
  }

  @Test
  void receiptThatIsNotJsonDoesNotHideTheFailure() {
    fixture.start(
        fixture.worker(
            task -> {
              task.receipt(JsonObject.create().put("speed", Double.POSITIVE_INFINITY));
              throw new IllegalStateException("no ink");
            }));

    assertThat(fixture.report().string("error"))
        .startsWith("IllegalStateException: no ink; ")
        .endsWith("JSON has no number for Infinity");
    assertThat(fixture.report().has("receipt")).isFalse();
  }

  @Test
  void taskThatCannotBeReportedIsCountedAsEnded() {
    PrometheusRegistry registry = new PrometheusRegistry();
    fixture.server.on(STATUS, TOO_LARGE);
    try (MillraceClient client =
            MillraceClient.builder(fixture.server.uri())
                .metrics(ClientMetrics.in(registry))
                .build();
        Worker worker =
            Worker.builder(client, "resize", task -> Double.NaN)
                .listener(fixture.events::add)
                .build()) {
      worker.start();
      fixture.awaitEvent(WorkerEvent.TaskFailed.class);
      await().atMost(LONG).until(() -> worker.active() == 0);
      fixture.testEnd.countDown();
    }
    assertThat(registry.scrape("jobnik_sdk_worker_tasks_active"::equals).get(0).getDataPoints())
        .singleElement()
        .extracting(point -> ((GaugeDataPointSnapshot) point).getValue())
        .isEqualTo(0.0);
  }

  @Test
  void longReasonOfAReleaseIsTruncated() {
    fixture.start(
        fixture.worker(
            task -> {
              throw new ReleaseTask("x".repeat(5_000));
            }));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(fixture.server.seen(RELEASE).getFirst().json().string("reason")).hasSize(1_000);
  }

  @Test
  void reportWithoutATokenIsNotRetried() {
    fixture.server.on(
        DEQUEUE,
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK).put("token", null))),
        ScriptedServer.after(fixture.testEnd, ScriptedServer.json(200, List.of())));
    fixture.server.on(STATUS, ScriptedServer.lost(), ACCEPTED);
    fixture.start(fixture.worker(task -> "done"));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(fixture.server.seen(STATUS)).hasSize(1);
  }

  @Test
  void requestsWithLogLinesStayBelowTheLimitOfTheServer() {
    fixture.start(
        fixture.worker(
            task -> {
              for (int i = 0; i < 100; i++) {
                task.info("\u0001".repeat(5_000));
              }
              return "done";
            }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    assertThat(fixture.server.seen(LOGS)).allSatisfy(one -> assertThat(bytes(one)).isLessThan(MIB));
    assertThat(
            fixture.server.seen(LOGS).stream()
                .mapToInt(one -> one.json().list("lines").size())
                .sum())
        .isEqualTo(100);
  }

  @Test
  void truncatedTextHasNoHalfCharacters() {
    assertThat(TruncatedText.of("abc", 3)).isEqualTo("abc");
    assertThat(TruncatedText.of("abcd", 3)).isEqualTo("ab…");
    assertThat(TruncatedText.of("a😀bcd", 4)).isEqualTo("a😀…");
    assertThat(TruncatedText.of("ab😀cd", 4)).as("a pair at the cut").isEqualTo("ab…");
  }
}
