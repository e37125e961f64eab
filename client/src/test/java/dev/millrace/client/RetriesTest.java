package dev.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.api.NewJob;
import dev.millrace.api.NewTask;
import dev.millrace.api.PruneRequest;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.ScriptedServer.ReceivedRequest;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.internal.transport.TransportAccess;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which requests are retried, and when. */
class RetriesTest {
  private static final UUID ID = new UUID(0x8000, 0x8000_0000_0000_0001L);
  private static final StagesApi.DequeueRequest FIVE_TASKS =
      new StagesApi.DequeueRequest("resize", "w", Duration.ofSeconds(60), 5, Duration.ofSeconds(2));

  private final ScriptedServer api = new ScriptedServer();
  private final FakeTimeSource time = new FakeTimeSource();
  private final MillraceClient client = api.client(time);

  @AfterEach
  void close() {
    client.close();
    api.close();
  }

  @Test
  void readsAreRetriedThreeTimesWithGrowingWaits() {
    api.on(
        "GET .*",
        ScriptedServer.text(502, ""),
        ScriptedServer.text(503, ""),
        ScriptedServer.text(504, ""),
        ScriptedServer.json(200, ScriptedServer.job(ID)));

    assertThat(client.jobs().get(ID).id()).isEqualTo(ID);
    assertThat(time.waits)
        .containsExactly(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));
  }

  @Test
  void fourthFailureIsThrown() {
    api.on("GET .*", ScriptedServer.text(503, "<html>busy</html>", "X-Request-Id", "r-1"));

    ApiException e = catchThrowableOfType(ApiException.class, () -> client.jobs().get(ID));

    assertThat(e.status()).isEqualTo(503);
    assertThat(e.code()).isEqualTo("HTTP_SERVICE_UNAVAILABLE");
    assertThat(e.requestId()).isEqualTo("r-1");
    assertThat(api.seen("GET .*")).hasSize(4);
  }

  @Test
  void waitsHaveAJitterOfHalf() {
    for (double chance : new double[] {0.0, 0.999_999}) {
      FakeTimeSource edge = new FakeTimeSource(Integer.MAX_VALUE, chance);
      api.on(
          "GET .*", ScriptedServer.text(503, ""), ScriptedServer.json(200, ScriptedServer.job(ID)));
      try (MillraceClient other = api.client(edge)) {
        other.jobs().get(ID);
      }
      assertThat(edge.waits).containsExactly(Duration.ofMillis(chance == 0.0 ? 50 : 150));
    }
  }

  @Test
  void otherErrorsAreNotRetried() {
    api.on("GET .*", ScriptedServer.json(500, JsonObject.create().put("code", "UNKNOWN_ERROR")));

    assertThatThrownBy(() -> client.jobs().get(ID)).isInstanceOf(ApiException.class);
    assertThat(api.seen("GET .*")).hasSize(1);
  }

  @Test
  void creationIsRetriedWithTheSameKeyWhenItsAnswerIsLost() {
    api.on(
        "POST /v1/jobs", ScriptedServer.lost(), ScriptedServer.json(201, ScriptedServer.job(ID)));

    assertThat(client.jobs().create(NewJob.of("resize")).id()).isEqualTo(ID);

    List<ReceivedRequest> requests = api.seen("POST /v1/jobs");
    assertThat(requests).hasSize(2);
    assertThat(requests.get(0).header("Idempotency-Key"))
        .isNotNull()
        .isEqualTo(requests.get(1).header("Idempotency-Key"));
    assertThat(requests.get(0).body()).isEqualTo(requests.get(1).body());
  }

  @Test
  void pruneIsNotRetriedWhenItsAnswerIsLost() {
    PruneRequest old = new PruneRequest(Instant.EPOCH, Set.of(JobState.FAILED));
    for (ScriptedServer.Script lost :
        List.of(ScriptedServer.lost(), ScriptedServer.text(504, ""))) {
      int before = api.seen("POST .*").size();
      api.on("POST .*", lost);
      assertThatThrownBy(() -> client.jobs().prune(old))
          .isInstanceOf(ClientException.class)
          .hasMessageContaining("the server may still be pruning")
          .hasMessageContaining("a dry run shows what is left");
      assertThat(api.seen("POST .*")).hasSize(before + 1);
    }
  }

  @Test
  void pruneIsNotRetriedAfterATimeout() {
    PruneRequest old = new PruneRequest(Instant.EPOCH, Set.of(JobState.FAILED));
    CountDownLatch end = new CountDownLatch(1);
    api.on("POST .*", (_, _) -> end.await());
    JobsApi jobs = new JobsApi(TransportAccess.of(client), Duration.ofMillis(200));
    NetworkException e = catchThrowableOfType(NetworkException.class, () -> jobs.prune(old));
    end.countDown();
    assertThat(e.kind()).isEqualTo(NetworkException.Kind.TIMEOUT);
    assertThat(e)
        .hasMessageContaining(
            "no answer in time; the server may still be pruning; a dry run shows");
    assertThat(api.seen("POST .*")).hasSize(1);
  }

  @Test
  void dequeueIsNotRetriedWhenItsAnswerIsLost() {
    api.on("PATCH .*", ScriptedServer.lost());

    NetworkException e =
        catchThrowableOfType(NetworkException.class, () -> client.stages().dequeue(FIVE_TASKS));

    assertThat(e.kind()).isEqualTo(NetworkException.Kind.REQUEST_ABORTED);
    assertThat(e.isUnsent()).isFalse();
    assertThat(api.seen("PATCH .*")).hasSize(1);
  }

  @Test
  void creationWithoutAKeyIsNotRetried() {
    api.on("P(OST|ATCH) .*", ScriptedServer.text(503, ""));

    assertThatThrownBy(() -> client.stages().dequeue(FIVE_TASKS)).isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> client.stages().addTasks(ID, List.of(NewTask.of(JsonObject.create()))))
        .isInstanceOf(ApiException.class);
    assertThat(api.seen(".*")).hasSize(2);
  }

  @Test
  void anyRequestThatWasNotSentIsRetried() throws IOException {
    URI unused;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }
    try (MillraceClient unconnected = MillraceClient.builder(unused).timeSource(time).build()) {
      NetworkException e =
          catchThrowableOfType(
              NetworkException.class, () -> unconnected.stages().dequeue(FIVE_TASKS));
      assertThat(e.kind()).isEqualTo(NetworkException.Kind.CONNECTION_REFUSED);
      assertThat(e.code()).isEqualTo("NETWORK_CONNECTION_REFUSED");
      assertThat(time.waits).hasSize(3);
    }
  }

  @Test
  void tooManyRequestsWaitsForTheRetryAfterOfTheServer() {
    api.on(
        "POST .*",
        ScriptedServer.text(429, "", "Retry-After", "7"),
        ScriptedServer.json(201, List.of(ScriptedServer.task(ID, JsonObject.create()))));

    assertThat(client.stages().addTasks(ID, List.of(NewTask.of(JsonObject.create())))).hasSize(1);
    assertThat(time.waits).containsExactly(Duration.ofSeconds(7));
  }

  @Test
  void retryAfterOfAnHourIsNotWaitedFor() {
    api.on("GET .*", ScriptedServer.text(429, "", "Retry-After", "3600"));

    ApiException e = catchThrowableOfType(ApiException.class, () -> client.jobs().get(ID));

    assertThat(e.retryAfter()).isEqualTo(Duration.ofHours(1));
    assertThat(time.waits).isEmpty();
  }

  @Test
  void retriedDeletionSucceedsIfTheFirstTryDeleted() {
    api.on(
        "DELETE .*",
        ScriptedServer.lost(),
        ScriptedServer.json(404, JsonObject.create().put("code", "JOB_NOT_FOUND")));

    client.jobs().delete(ID);

    assertThat(api.seen("DELETE .*")).hasSize(2);
    assertThatThrownBy(() -> client.jobs().delete(ID)).hasMessageContaining("JOB_NOT_FOUND");
  }

  private static ScriptedServer.Script refusal(String what, String from, String to) {
    return ScriptedServer.json(
        400,
        JsonObject.create()
            .put("code", "ILLEGAL_" + what + "_STATUS_TRANSITION")
            .put("message", "Illegal status transition from " + from + " to " + to));
  }

  @Test
  void retriedStatusUpdateSucceedsIfTheFirstTryChangedTheStatus() {
    for (String[] move :
        new String[][] {{"PAUSED", "PAUSED"}, {"ABORTED", "ABORTED"}, {"PENDING", "IN_PROGRESS"}}) {
      api.on("PUT .*", ScriptedServer.lost(), refusal("JOB", move[1], move[0]));
      api.on("GET .*", ScriptedServer.json(200, ScriptedServer.job(ID).put("status", move[1])));

      client.jobs().updateStatus(ID, JobState.valueOf(move[0]));
    }
    api.on("PUT .*", ScriptedServer.lost(), refusal("STAGE", "IN_PROGRESS", "PENDING"));
    api.on("GET .*", ScriptedServer.json(200, ScriptedServer.stage(ID, "IN_PROGRESS")));

    client.stages().approve(ID);

    assertThat(api.seen("PUT .*")).hasSize(8);
  }

  @Test
  void refusedStatusUpdateIsAnErrorIfNoTryChangedTheStatus() {
    api.on("PUT .*", refusal("JOB", "PAUSED", "PAUSED"));
    assertThatThrownBy(() -> client.jobs().pause(ID)).hasMessageContaining("from PAUSED");

    api.on("PUT .*", ScriptedServer.lost(), refusal("JOB", "COMPLETED", "ABORTED"));
    api.on("GET .*", ScriptedServer.json(200, ScriptedServer.job(ID).put("status", "COMPLETED")));
    assertThatThrownBy(() -> client.jobs().abort(ID)).hasMessageContaining("from COMPLETED");

    api.on("PUT .*", ScriptedServer.lost(), refusal("STAGE", "WAITING", "PENDING"));
    api.on("GET .*", ScriptedServer.json(200, ScriptedServer.stage(ID, "WAITING")));
    assertThatThrownBy(() -> client.stages().approve(ID)).hasMessageContaining("from WAITING");
  }

  @Test
  void refusedStatusUpdateIsAnErrorIfNoEarlierTryCanHaveBeenCarriedOut() {
    api.on("PUT .*", ScriptedServer.text(429, ""), refusal("JOB", "IN_PROGRESS", "PENDING"));
    api.on("GET .*", ScriptedServer.json(200, ScriptedServer.job(ID).put("status", "IN_PROGRESS")));

    assertThatThrownBy(() -> client.jobs().resume(ID)).hasMessageContaining("from IN_PROGRESS");
    assertThat(api.seen("PUT .*")).hasSize(2);
  }

  @Test
  void reportsAreRetriedOnlyWithAToken() {
    ScriptedServer.Script task =
        ScriptedServer.json(200, ScriptedServer.task(ID, JsonObject.create()));
    api.on("PUT .*status", ScriptedServer.lost(), task)
        .on("PUT .*release", ScriptedServer.lost(), task);
    client.tasks().updateStatus(ID, "1.7", TaskStatusUpdate.completed("x"));
    client.tasks().release(ID, "1.7", "no");
    assertThat(api.seen("PUT .*")).hasSize(4);

    api.on("PUT .*status", ScriptedServer.lost(), task)
        .on("PUT .*release", ScriptedServer.text(503, ""), task);
    assertThatThrownBy(() -> client.tasks().updateStatus(ID, null, TaskStatusUpdate.completed("x")))
        .isInstanceOf(NetworkException.class);
    assertThatThrownBy(() -> client.tasks().release(ID, null, "no"))
        .isInstanceOf(ApiException.class);
    assertThat(api.seen("PUT .*")).hasSize(6);
  }

  @Test
  void requestTimeoutCoversTheWholeAnswer() {
    CountDownLatch never = new CountDownLatch(1);
    api.on(
        "GET .*",
        ScriptedServer.stream(never, "{\"id\":"),
        ScriptedServer.json(200, ScriptedServer.job(ID)));
    api.on("PATCH .*", ScriptedServer.stream(never, "["));
    try (MillraceClient impatient =
        MillraceClient.builder(api.uri())
            .timeSource(time)
            .requestTimeout(Duration.ofMillis(500))
            .build()) {
      assertThat(impatient.jobs().get(ID).id()).isEqualTo(ID);
      NetworkException e =
          catchThrowableOfType(NetworkException.class, () -> impatient.stages().dequeue("resize"));
      assertThat(e.kind()).isEqualTo(NetworkException.Kind.TIMEOUT);
      assertThat(e.isUnsent()).isFalse();
    }
    assertThat(api.seen("GET .*")).hasSize(2);
    assertThat(api.seen("PATCH .*")).hasSize(1);
  }

  @Test
  void interruptCancelsTheRequest() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch received = new CountDownLatch(1);
    api.on(
        "GET .*",
        (seen, exchange) -> {
          received.countDown();
          never.await();
        });
    Object[] caught = new Object[2];
    Thread caller =
        Thread.startVirtualThread(
            () -> {
              caught[0] = catchThrowableOfType(NetworkException.class, () -> client.jobs().get(ID));
              caught[1] = Thread.currentThread().isInterrupted();
            });
    received.await();
    caller.interrupt();
    caller.join();
    never.countDown();

    assertThat(((NetworkException) caught[0]).kind())
        .isEqualTo(NetworkException.Kind.REQUEST_CANCELLED);
    assertThat(caught[1]).isEqualTo(true);
    assertThat(api.seen("GET .*")).hasSize(1);
  }

  @Test
  void networkFailuresHaveTheKindsOfTheContract() {
    assertThat(kind(new ConnectException("Connection refused"))).isEqualTo("CONNECTION_REFUSED");
    assertThat(kind(new ConnectException("Network is unreachable"))).isEqualTo("HOST_UNREACHABLE");
    ConnectException unresolved = new ConnectException();
    unresolved.initCause(new UnresolvedAddressException());
    assertThat(kind(unresolved)).isEqualTo("DNS_RESOLUTION_FAILED");
    assertThat(kind(new SSLHandshakeException("no"))).isEqualTo("SSL_ERROR");
    assertThat(kind(new HttpTimeoutException("no"))).isEqualTo("TIMEOUT");
    assertThat(kind(new HttpConnectTimeoutException("no"))).isEqualTo("TIMEOUT");
    assertThat(kind(new IOException("Connection reset"))).isEqualTo("REQUEST_ABORTED");
    assertThat(kind(new IllegalStateException("odd"))).isEqualTo("UNKNOWN");
  }

  private static String kind(Throwable cause) {
    return NetworkException.of("GET /", cause).kind().name();
  }
}
