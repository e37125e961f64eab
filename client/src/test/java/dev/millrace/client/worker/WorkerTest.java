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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a worker tells the server of its tasks. */
class WorkerTest {
  private final WorkerFixture bench = new WorkerFixture();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void returnedValueIsTheResult() {
    bench.start(
        bench.worker(
            task -> {
              task.receipt(JsonObject.create().put("by", "hand"));
              return JsonObject.create()
                  .put("width", task.data().integer("width"))
                  .put("mode", task.stageData().string("mode"))
                  .put("attempt", task.attempt());
            }));

    assertThat(bench.answer().toString())
        .isEqualTo(
            "{\"status\":\"COMPLETED\",\"token\":\"1.7\",\"result\":{\"width\":640,\"mode\":\"fit\","
                + "\"attempt\":1},\"receipt\":{\"by\":\"hand\"}}");
    assertThat(bench.awaitTold(WorkerEvent.TaskCompleted.class).task().id()).isEqualTo(TASK);
    assertThat(bench.told(WorkerEvent.TaskStarted.class)).hasSize(1);
    ScriptedServer.ReceivedRequest poll = bench.api.seen(DEQUEUE).getFirst();
    assertThat(poll.header("Millrace-Worker")).isEqualTo("tester");
    assertThat(poll.query()).isEqualTo("lease=60&limit=1&wait=5");
  }

  @Test
  void exceptionIsAFailureThatMayBeTriedAgain() {
    bench.start(
        bench.worker(
            task -> {
              task.partial("half");
              throw new IllegalStateException("no ink");
            }));

    assertThat(bench.answer().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"IllegalStateException: no ink\","
                + "\"partial\":\"half\"}");
    assertThat(bench.awaitTold(WorkerEvent.TaskFailed.class).cause()).hasMessage("no ink");
    assertThat(bench.told(WorkerEvent.Error.class).getFirst().location().word())
        .isEqualTo("taskProcessing");
  }

  @Test
  void permanentFailureForfeitsWhatAttemptsAreLeft() {
    bench.start(
        bench.worker(
            task -> {
              throw new PermanentFailure("not an image");
            }));

    assertThat(bench.answer().toString())
        .isEqualTo(
            "{\"status\":\"FAILED\",\"token\":\"1.7\",\"error\":\"not an image\","
                + "\"retryable\":false}");
  }

  @Test
  void evenAnErrorOfTheMachineIsToldAndTheWorkerGoesOn() {
    bench.queue(2);
    AtomicInteger calls = new AtomicInteger();
    bench.start(
        bench.worker(
            task -> {
              if (calls.getAndIncrement() == 0) {
                throw new StackOverflowError();
              }
              return "fine";
            }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    assertThat(bench.api.seen(STATUS).getFirst().json().string("error"))
        .isEqualTo("StackOverflowError");
  }

  @Test
  void releasedTaskIsGivenBack() {
    bench.start(
        bench.worker(
            task -> {
              throw new ReleaseTask("too big for me");
            }));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(bench.api.seen(RELEASE).getFirst().json().string("reason"))
        .isEqualTo("too big for me");
    assertThat(bench.api.seen(STATUS)).isEmpty();
  }

  @Test
  void lostAnswerIsSaidAgainWithTheSameToken() {
    bench.api.on(
        STATUS,
        ScriptedServer.lost(),
        ScriptedServer.lost(),
        ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    bench.start(bench.worker(task -> "done"));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> said = bench.api.seen(STATUS);
    assertThat(said)
        .hasSize(3)
        .extracting(ScriptedServer.ReceivedRequest::body)
        .containsOnly(said.getFirst().body());
  }

  @Test
  void resultIsKeptWhileTheServerIsAway() {
    ScriptedServer.Script away = ScriptedServer.text(503, "");
    ScriptedServer.Script[] script = new ScriptedServer.Script[10];
    java.util.Arrays.fill(script, away);
    script[9] = ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create()));
    bench.api.on(STATUS, script);
    bench.start(bench.worker(new FakeTimeSource(), task -> "done"));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    assertThat(bench.api.seen(STATUS)).hasSize(10);
    assertThat(bench.told(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .contains(Location.MARK_TASK_COMPLETED);
  }

  @Test
  void refusedResultFailsTheTaskForGood() {
    bench.api.on(
        STATUS,
        ScriptedServer.json(413, JsonObject.create().put("message", "too large").put("code", "X")),
        ScriptedServer.json(200, ScriptedServer.task(TASK, JsonObject.create())));
    bench.start(bench.worker(task -> "huge"));

    bench.awaitTold(WorkerEvent.TaskFailed.class);
    assertThat(bench.answer().string("error")).isEqualTo("the result was refused: too large");
    assertThat(bench.answer().flag("retryable", true)).isFalse();
  }

  @Test
  void answerToALostClaimIsDropped() {
    bench.api.on(STATUS, ScriptedServer.json(409, JsonObject.create().put("message", "not yours")));
    bench.start(bench.worker(task -> "late"));

    assertThat(bench.awaitTold(WorkerEvent.TaskDropped.class).reason()).isEqualTo("not yours");
    assertThat(bench.api.seen(STATUS)).hasSize(1);
    assertThat(bench.told(WorkerEvent.TaskCompleted.class)).isEmpty();
  }

  @Test
  void serversCancelInterruptsTheHandler() {
    bench.api.on(HEARTBEAT, WorkerFixture.beat(false, false), WorkerFixture.beat(true, false));
    AtomicReference<String> heard = new AtomicReference<>("");
    bench.start(
        bench.worker(
            task -> {
              task.onCancel(() -> heard.set("cancelled"));
              new CountDownLatch(1).await();
              return "never";
            }));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(heard).hasValue("cancelled");
    assertThat(bench.api.seen(STATUS)).as("the job has ended: nothing to say").isEmpty();
    assertThat(bench.api.seen(RELEASE)).isEmpty();
  }

  @Test
  void lostLeaseInterruptsTheHandlerToo() {
    bench.api.on(HEARTBEAT, ScriptedServer.json(409, JsonObject.create().put("message", "lost")));
    AtomicReference<String> reason = new AtomicReference<>();
    bench.start(
        bench.worker(
            task -> {
              try {
                new CountDownLatch(1).await();
              } finally {
                reason.set(task.cancelReason());
                assertThat(task.cancelled()).isTrue();
              }
              return "never";
            }));

    bench.awaitTold(WorkerEvent.TaskDropped.class);
    assertThat(reason).hasValue("lost");
    assertThat(bench.api.seen(STATUS)).isEmpty();
  }

  @Test
  void handlerGoesOnWhileTheServerCannotBeReached() {
    bench.api.on(HEARTBEAT, ScriptedServer.lost());
    CountDownLatch go = new CountDownLatch(1);
    bench.start(
        bench.worker(
            task -> {
              go.await();
              return task.leaseLeft().isPositive();
            }));

    await().atMost(LONG).until(() -> bench.api.seen(HEARTBEAT).size() >= 3);
    go.countDown();
    assertThat(bench.answer().get("result")).isEqualTo(true);
    assertThat(bench.told(WorkerEvent.Error.class))
        .extracting(WorkerEvent.Error::location)
        .contains(Location.HEARTBEAT);
  }

  @Test
  void heartbeatTellsProgressOnceAndBringsThePauseFlag() {
    bench.api.on(HEARTBEAT, WorkerFixture.beat(false, true));
    bench.start(
        bench.worker(
            task -> {
              task.progress();
              await().atMost(LONG).until(task::paused);
              int beats = bench.api.seen(HEARTBEAT).size();
              await().atMost(LONG).until(() -> bench.api.seen(HEARTBEAT).size() > beats + 1);
              return "done";
            }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    assertThat(bench.api.seen(HEARTBEAT))
        .extracting(ScriptedServer.ReceivedRequest::body)
        .containsOnlyOnce("{\"token\":\"1.7\",\"progress\":true}")
        .contains("{\"token\":\"1.7\"}");
  }

  @Test
  void linesOfTheLogGoTogetherAndBeforeTheAnswer() {
    bench.start(
        bench.worker(
            task -> {
              for (int i = 0; i < 150; i++) {
                task.info("line " + i);
              }
              assertThatThrownBy(() -> task.log("loud", "x")).hasMessageContaining("level");
              return "done";
            }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> sent = bench.api.seen(LOGS);
    assertThat(sent).hasSize(2);
    assertThat(sent.getFirst().json().list("lines")).hasSize(100);
    assertThat(sent.getFirst().json().string("token")).isEqualTo("1.7");
    assertThat(sent.getLast().json().list("lines").getLast())
        .isEqualTo(java.util.Map.of("level", "info", "line", "line 149"));
    List<String> order =
        bench.api.seen("P(OST|UT) .*(logs|status)").stream()
            .map(ScriptedServer.ReceivedRequest::method)
            .toList();
    assertThat(order).containsExactly("POST", "POST", "PUT");
  }

  @Test
  void handlersRequestsBelongToTheTasksTrace() {
    bench.api.on(
        "PATCH /v1/(jobs|stages|tasks)/[^/]*/user-metadata", ScriptedServer.text(200, "{}"));
    JsonObject metadata = JsonObject.create().put("seen", true);
    bench.start(
        bench.worker(
            task -> {
              task.updateTaskUserMetadata(metadata);
              task.updateStageUserMetadata(metadata);
              task.updateJobUserMetadata(metadata);
              return task.trace() == null ? "none" : task.trace().parent();
            }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
    List<ScriptedServer.ReceivedRequest> updates = bench.api.seen("PATCH .*user-metadata");
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
  void listenerThatThrowsHarmsNobody() {
    bench.start(
        bench
            .worker(task -> "done")
            .listener(
                event -> {
                  bench.events.add(event);
                  throw new IllegalStateException("listener");
                }));

    bench.awaitTold(WorkerEvent.TaskCompleted.class);
  }

  @Test
  void neverMoreAtOnceThanItsConcurrency() {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    bench.api.on(
        DEQUEUE,
        (seen, exchange) -> {
          int limit =
              Integer.parseInt(String.valueOf(seen.query()).replaceAll(".*limit=(\\d+).*", "$1"));
          List<JsonObject> tasks =
              java.util.stream.IntStream.range(0, limit)
                  .mapToObj(i -> ScriptedServer.claimed(new UUID(3, i)))
                  .toList();
          ScriptedServer.json(200, tasks).answer(seen, exchange);
        });
    bench.start(
        bench
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
    await().atMost(LONG).until(() -> bench.told(WorkerEvent.TaskCompleted.class).size() >= 20);
    assertThat(most).hasValue(4);
  }

  @Test
  void settingsThatCannotWorkAreRefused() {
    MillraceClient client = MillraceClient.at(bench.api.uri());
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
