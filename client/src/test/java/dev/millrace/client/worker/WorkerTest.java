package dev.millrace.client.worker;

import static dev.millrace.client.worker.WorkerFixture.DEQUEUE;
import static dev.millrace.client.worker.WorkerFixture.HEARTBEAT;
import static dev.millrace.client.worker.WorkerFixture.LOGS;
import static dev.millrace.client.worker.WorkerFixture.LONG;
import static dev.millrace.client.worker.WorkerFixture.RELEASE;
import static dev.millrace.client.worker.WorkerFixture.STATUS;
import static dev.millrace.client.worker.WorkerFixture.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.client.FakeTimeSource;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.ScriptedServer;
import dev.millrace.client.worker.WorkerEvent.Location;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a worker reports its tasks to the server. */
class WorkerTest {
  private final WorkerFixture fixture = new WorkerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void returnedValueIsTheResult() {
    fixture.start(
        fixture.worker(
            task -> {
              task.receipt(JsonObject.create().put("by", "hand"));
              return JsonObject.create()
                  .put("width", task.data().integer("width"))
                  .put("mode", task.stageData().string("mode"))
                  .put("attempt", task.attempt());
            }));

    assertThat(fixture.report().toString())
        .isEqualTo(
            "{\"status\":\"COMPLETED\",\"token\":\"1.7\",\"result\":{\"width\":640,\"mode\":\"fit\","
                + "\"attempt\":1},\"receipt\":{\"by\":\"hand\"}}");
    assertThat(fixture.awaitEvent(WorkerEvent.TaskCompleted.class).task().id()).isEqualTo(TASK);
    assertThat(fixture.events(WorkerEvent.TaskStarted.class)).hasSize(1);
    ScriptedServer.ReceivedRequest poll = fixture.server.seen(DEQUEUE).getFirst();
    assertThat(poll.header("Millrace-Worker")).isEqualTo("tester");
    assertThat(poll.query()).isEqualTo("lease=60&limit=1&wait=5");
  }

  @Test
  void exceptionIsAFailureThatIsRetried() {
    fixture.start(
        fixture.worker(
            task -> {
              task.partial("half");
              throw new IllegalStateException("no ink");
            }));

    assertThat(fixture.report().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"IllegalStateException: no ink\","
                + "\"partial\":\"half\"}");
    assertThat(fixture.awaitEvent(WorkerEvent.TaskFailed.class).cause()).hasMessage("no ink");
    assertThat(fixture.events(WorkerEvent.Error.class).getFirst().location().word())
        .isEqualTo("taskProcessing");
  }

  @Test
  void permanentFailureIsNotRetried() {
    fixture.start(
        fixture.worker(
            task -> {
              throw new PermanentFailure("not an image");
            }));

    assertThat(fixture.report().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"not an image\","
                + "\"retryable\":false}");
  }

  @Test
  void errorOfTheJvmIsReportedAndTheWorkerContinues() {
    fixture.queue(2);
    AtomicInteger calls = new AtomicInteger();
    fixture.start(
        fixture.worker(
            task -> {
              if (calls.getAndIncrement() == 0) {
                throw new StackOverflowError();
              }
              return "fine";
            }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    assertThat(fixture.server.seen(STATUS).getFirst().json().string("error"))
        .isEqualTo("StackOverflowError");
  }

  @Test
  void releasedTaskReturnsToTheQueue() {
    fixture.start(
        fixture.worker(
            task -> {
              throw new ReleaseTask("too big for me");
            }));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(fixture.server.seen(RELEASE).getFirst().json().string("reason"))
        .isEqualTo("too big for me");
    assertThat(fixture.server.seen(STATUS)).isEmpty();
  }

  @Test
  void reportIsRetriedWithTheSameTokenWhenItsAnswerIsLost() {
    fixture.server.on(
        STATUS,
        ScriptedServer.lost(),
        ScriptedServer.lost(),
        ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    fixture.start(fixture.worker(task -> "done"));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> reports = fixture.server.seen(STATUS);
    assertThat(reports)
        .hasSize(3)
        .extracting(ScriptedServer.ReceivedRequest::body)
        .containsOnly(reports.getFirst().body());
  }

  @Test
  void resultIsRetriedWhileTheServerIsUnavailable() {
    ScriptedServer.Script unavailable = ScriptedServer.text(503, "");
    ScriptedServer.Script[] script = new ScriptedServer.Script[10];
    Arrays.fill(script, unavailable);
    script[9] = ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()));
    fixture.server.on(STATUS, script);
    fixture.start(fixture.worker(new FakeTimeSource(), task -> "done"));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    assertThat(fixture.server.seen(STATUS)).hasSize(10);
    assertThat(fixture.events(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .contains(Location.MARK_TASK_COMPLETED);
  }

  @Test
  void refusedResultFailsTheTaskWithoutARetry() {
    fixture.server.on(
        STATUS,
        ScriptedServer.json(413, JsonObject.create().put("message", "too large").put("code", "X")),
        ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    fixture.start(fixture.worker(task -> "huge"));

    fixture.awaitEvent(WorkerEvent.TaskFailed.class);
    assertThat(fixture.report().string("error")).isEqualTo("the result was refused: too large");
    assertThat(fixture.report().flag("retryable", true)).isFalse();
  }

  @Test
  void resultOfALostClaimIsDropped() {
    fixture.server.on(
        STATUS, ScriptedServer.json(409, JsonObject.create().put("message", "not yours")));
    fixture.start(fixture.worker(task -> "late"));

    assertThat(fixture.awaitEvent(WorkerEvent.TaskDropped.class).reason()).isEqualTo("not yours");
    assertThat(fixture.server.seen(STATUS)).hasSize(1);
    assertThat(fixture.events(WorkerEvent.TaskCompleted.class)).isEmpty();
  }

  @Test
  void cancelByTheServerInterruptsTheHandler() {
    fixture.server.on(
        HEARTBEAT, WorkerFixture.heartbeat(false, false), WorkerFixture.heartbeat(true, false));
    AtomicReference<String> callback = new AtomicReference<>("");
    fixture.start(
        fixture.worker(
            task -> {
              task.onCancel(() -> callback.set("cancelled"));
              new CountDownLatch(1).await();
              return "never";
            }));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(callback).hasValue("cancelled");
    assertThat(fixture.server.seen(STATUS)).as("reports for a job that has ended").isEmpty();
    assertThat(fixture.server.seen(RELEASE)).isEmpty();
  }

  @Test
  void lostLeaseInterruptsTheHandler() {
    fixture.server.on(
        HEARTBEAT, ScriptedServer.json(409, JsonObject.create().put("message", "lost")));
    AtomicReference<String> reason = new AtomicReference<>();
    fixture.start(
        fixture.worker(
            task -> {
              try {
                new CountDownLatch(1).await();
              } finally {
                reason.set(task.cancelReason());
                assertThat(task.cancelled()).isTrue();
              }
              return "never";
            }));

    fixture.awaitEvent(WorkerEvent.TaskDropped.class);
    assertThat(reason).hasValue("lost");
    assertThat(fixture.server.seen(STATUS)).isEmpty();
  }

  @Test
  void handlerContinuesWhileHeartbeatsFail() {
    fixture.server.on(HEARTBEAT, ScriptedServer.lost());
    CountDownLatch go = new CountDownLatch(1);
    fixture.start(
        fixture.worker(
            task -> {
              go.await();
              return task.leaseLeft().isPositive();
            }));

    await().atMost(LONG).until(() -> fixture.server.seen(HEARTBEAT).size() >= 3);
    go.countDown();
    assertThat(fixture.report().get("result")).isEqualTo(true);
    assertThat(fixture.events(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .contains(Location.HEARTBEAT);
  }

  @Test
  void heartbeatReportsProgressOnceAndReturnsThePauseFlag() {
    fixture.server.on(HEARTBEAT, WorkerFixture.heartbeat(false, true));
    fixture.start(
        fixture.worker(
            task -> {
              task.progress();
              await().atMost(LONG).until(task::paused);
              int heartbeats = fixture.server.seen(HEARTBEAT).size();
              await()
                  .atMost(LONG)
                  .until(() -> fixture.server.seen(HEARTBEAT).size() > heartbeats + 1);
              return "done";
            }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    assertThat(fixture.server.seen(HEARTBEAT))
        .extracting(ScriptedServer.ReceivedRequest::body)
        .containsOnlyOnce("{\"token\":\"1.7\",\"progress\":true}")
        .contains("{\"token\":\"1.7\"}");
  }

  @Test
  void logLinesAreSentInBatchesBeforeTheReport() {
    fixture.start(
        fixture.worker(
            task -> {
              for (int i = 0; i < 150; i++) {
                task.info("line " + i);
              }
              assertThatThrownBy(() -> task.log("loud", "x")).hasMessageContaining("level");
              return "done";
            }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> sent = fixture.server.seen(LOGS);
    assertThat(sent).hasSize(2);
    assertThat(sent.getFirst().json().list("lines")).hasSize(100);
    assertThat(sent.getFirst().json().string("token")).isEqualTo("1.7");
    assertThat(sent.getLast().json().list("lines").getLast())
        .isEqualTo(Map.of("level", "info", "line", "line 149"));
    List<String> order =
        fixture.server.seen("P(OST|UT) .*(logs|status)").stream()
            .map(ScriptedServer.ReceivedRequest::method)
            .toList();
    assertThat(order).containsExactly("POST", "POST", "PUT");
  }

  @Test
  void requestsOfAHandlerBelongToTheTraceOfTheTask() {
    fixture.server.on(
        "PATCH /v1/(jobs|stages|tasks)/[^/]*/user-metadata", ScriptedServer.text(200, "{}"));
    JsonObject metadata = JsonObject.create().put("seen", true);
    fixture.start(
        fixture.worker(
            task -> {
              task.updateTaskUserMetadata(metadata);
              task.updateStageUserMetadata(metadata);
              task.updateJobUserMetadata(metadata);
              return task.trace() == null ? "none" : task.trace().parent();
            }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> updates = fixture.server.seen("PATCH .*user-metadata");
    assertThat(updates)
        .extracting(ScriptedServer.ReceivedRequest::path)
        .containsExactly(
            "/v1/tasks/" + TASK + "/user-metadata",
            "/v1/stages/" + new UUID(2, 2) + "/user-metadata",
            "/v1/jobs/" + new UUID(1, 1) + "/user-metadata");
    assertThat(updates).allSatisfy(one -> assertThat(one.body()).isEqualTo("{\"seen\":true}"));
    assertThat(updates)
        .allSatisfy(
            one ->
                assertThat(one.header("traceparent"))
                    .isEqualTo("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
  }

  @Test
  void listenerThatThrowsDoesNotStopTheWorker() {
    fixture.start(
        fixture
            .worker(task -> "done")
            .listener(
                event -> {
                  fixture.events.add(event);
                  throw new IllegalStateException("listener");
                }));

    fixture.awaitEvent(WorkerEvent.TaskCompleted.class);
  }

  @Test
  void concurrencyLimitsRunningTasks() {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    fixture.server.on(
        DEQUEUE,
        (seen, exchange) -> {
          int limit =
              Integer.parseInt(String.valueOf(seen.query()).replaceAll(".*limit=(\\d+).*", "$1"));
          List<JsonObject> tasks =
              IntStream.range(0, limit)
                  .mapToObj(i -> ScriptedServer.claimed(new UUID(3, i)))
                  .toList();
          ScriptedServer.json(200, tasks).answer(seen, exchange);
        });
    fixture.start(
        fixture
            .worker(
                task -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  go.await();
                  now.decrementAndGet();
                  return "done";
                })
            .concurrency(4));

    await().atMost(LONG).until(() -> now.get() == 4);
    go.countDown();
    await().atMost(LONG).until(() -> fixture.events(WorkerEvent.TaskCompleted.class).size() >= 20);
    assertThat(most).hasValue(4);
  }

  @Test
  void invalidSettingsAreRefused() {
    MillraceClient client = MillraceClient.at(fixture.server.uri());
    WorkerBuilder builder = Worker.builder(client, "resize", task -> null);
    assertThatThrownBy(() -> builder.concurrency(0).build()).hasMessageContaining("concurrency");
    builder.concurrency(1);
    assertThatThrownBy(() -> builder.lease(Duration.ofSeconds(1)).build())
        .hasMessageContaining("lease must be 5 to 3600 seconds");
    builder.lease(Duration.ofSeconds(60));
    assertThatThrownBy(() -> builder.heartbeat(Duration.ofSeconds(60)).build())
        .hasMessageContaining("heartbeat");
    client.close();
  }
}
