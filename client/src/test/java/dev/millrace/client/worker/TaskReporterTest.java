package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.LOGS;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.STATUS;
import static dev.millrace.client.worker.WorkerFixture.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.SdkMetrics;
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

/** Every task that ran is answered for, whatever its handler makes of it. */
class TaskReporterTest {
  private static final ScriptedServer.Script TAKEN =
      ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()));
  private static final ScriptedServer.Script TOO_LARGE =
      ScriptedServer.json(413, JsonObject.create().put("message", "too large").put("code", "X"));
  private static final int MIB = 1 << 20;

  private final WorkerFixture bench = new WorkerFixture();

  @AfterEach
  void close() {
    bench.close();
  }

  private static int bytes(ScriptedServer.ReceivedRequest seen) {
    return seen.body().getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void failureWithAFloodOfWordsIsCutToWhatAServerTakes() {
    bench.start(
        bench.worker(
            task -> {
              task.partial("\u0001".repeat(2 * MIB));
              throw new IllegalStateException("\u0001".repeat(2 * MIB));
            }));

    JsonObject answer = bench.answer();
    assertThat(bytes(bench.api.seen(STATUS).getFirst())).isLessThan(MIB);
    assertThat(answer.string("error")).hasSize(4_000).endsWith("…");
    assertThat(answer.string("partial")).hasSize(150_000).endsWith("…");
    assertThat(answer.flag("retryable", true)).isTrue();
  }

  @Test
  void failureThatIsRefusedIsToldBareAndForGood() {
    bench.api.on(STATUS, TOO_LARGE, TAKEN);
    bench.start(
        bench.worker(
            task -> {
              task.receipt(JsonObject.create().put("scan", "x".repeat(100)));
              throw new IllegalStateException("no ink");
            }));

    bench.awaitTold(WorkerEvent.TaskFailed.class);
    assertThat(bench.answer().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"IllegalStateException: no ink;"
                + " what was to be kept with it was refused: too large\",\"retryable\":false}");
  }

  @Test
  void resultThatIsNoJsonFailsTheTaskForGood() {
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    Object rude =
        new Object() {
          @Override
          public String toString() {
            throw new UnsupportedOperationException("no words");
          }
        };
    bench.queue(3);
    List<Object> results = new ArrayList<>(Arrays.asList(Double.NaN, itself, rude));
    bench.start(bench.worker(task -> results.removeFirst()));

    await().atMost(LONG).until(() -> bench.told(WorkerEvent.TaskFailed.class).size() == 3);
    assertThat(bench.api.seen(STATUS))
        .hasSize(3)
        .allSatisfy(one -> assertThat(one.json().flag("retryable", true)).isFalse())
        .extracting(one -> one.json().string("error"))
        .containsExactlyElementsOf(
            Stream.of(
                    "JsonException: JSON has no number for NaN",
                    "StackOverflowError",
                    "UnsupportedOperationException: no words")
                .map(why -> "the result was refused: it cannot be written as JSON: " + why)
                .toList());
  }

  @Test
  void receiptThatIsNoJsonDoesNotHideTheFailure() {
    bench.start(
        bench.worker(
            task -> {
              task.receipt(JsonObject.create().put("speed", Double.POSITIVE_INFINITY));
              throw new IllegalStateException("no ink");
            }));

    assertThat(bench.answer().string("error"))
        .startsWith("IllegalStateException: no ink; ")
        .endsWith("JSON has no number for Infinity");
    assertThat(bench.answer().has("receipt")).isFalse();
  }

  @Test
  void whatCannotBeToldIsCountedAsEndedToo() {
    PrometheusRegistry registry = new PrometheusRegistry();
    bench.api.on(STATUS, TOO_LARGE);
    try (MillraceClient client =
            MillraceClient.builder(bench.api.uri()).metrics(SdkMetrics.in(registry)).build();
        Worker worker =
            Worker.builder(client, "resize", task -> Double.NaN)
                .listener(bench.events::add)
                .build()) {
      worker.start();
      bench.awaitTold(WorkerEvent.TaskFailed.class);
      await().atMost(LONG).until(() -> worker.active() == 0);
      bench.over.countDown();
    }
    assertThat(registry.scrape("jobnik_sdk_worker_tasks_active"::equals).get(0).getDataPoints())
        .singleElement()
        .extracting(point -> ((GaugeDataPointSnapshot) point).getValue())
        .isEqualTo(0.0);
  }

  @Test
  void reasonOfAReleaseIsCutToWhatAServerTakes() {
    bench.start(
        bench.worker(
            task -> {
              throw new ReleaseTask("x".repeat(5_000));
            }));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(bench.api.seen(RELEASE).getFirst().json().string("reason")).hasSize(1_000);
  }

  @Test
  void answerWithoutATokenIsSaidOnce() {
    bench.api.on(
        DEQUEUE,
        ScriptedServer.json(200, List.of(ScriptedServer.claimed(TASK).put("token", null))),
        ScriptedServer.after(bench.over, ScriptedServer.json(200, List.of())));
    bench.api.on(STATUS, ScriptedServer.lost(), TAKEN);
    bench.start(bench.worker(task -> "done"));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(bench.api.seen(STATUS)).hasSize(1);
  }

  @Test
  void linesOfTheLogGoInRequestsThatAServerTakes() {
    bench.start(
        bench.worker(
            task -> {
              for (int i = 0; i < 100; i++) {
                task.info("\u0001".repeat(5_000));
              }
              return "done";
            }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    assertThat(bench.api.seen(LOGS)).allSatisfy(one -> assertThat(bytes(one)).isLessThan(MIB));
    assertThat(bench.api.seen(LOGS).stream().mapToInt(one -> one.json().list("lines").size()).sum())
        .isEqualTo(100);
  }

  @Test
  void cutTextHasNoHalfCharacters() {
    assertThat(TruncatedText.of("abc", 3)).isEqualTo("abc");
    assertThat(TruncatedText.of("abcd", 3)).isEqualTo("ab…");
    assertThat(TruncatedText.of("a😀bcd", 4)).isEqualTo("a😀…");
    assertThat(TruncatedText.of("ab😀cd", 4)).as("a pair at the cut").isEqualTo("ab…");
  }
}
