package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.so1.So1TestServer.ApiReply;
import dev.millrace.http.so1.SseTestClient.Event;
import dev.millrace.store.fs.Workspace;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client of so1 expects, sentence by sentence, over HTTP. */
class So1ContractTest {
  private static final String HELLO =
      "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"Hello\",\"maxTokens\":5}}";
  private static final String WORKFLOW = "trigger-github-workflow";
  private static final String EXAMPLE = "{\"action\":\"" + WORKFLOW + "\"}";

  private final So1TestServer service = new So1TestServer();

  @AfterEach
  void close() {
    service.close();
  }

  /** The ways in which a job ends. */
  private enum Ending {
    SUCCESS("success"),
    FAILED("failed"),
    CANCELLED_BEFORE_THE_START("cancelled"),
    CANCELLED_AFTER_THE_START("cancelled");

    private final String state;

    Ending(String state) {
      this.state = state;
    }

    boolean starts() {
      return this != CANCELLED_BEFORE_THE_START;
    }
  }

  private JsonObject job(JobId id) throws Exception {
    return service.get(So1TestServer.path(id)).job();
  }

  private ApiReply cancel(JobId id, String body) throws Exception {
    return service.post(So1TestServer.path(id) + "/cancel", body.isEmpty() ? null : body);
  }

  /** A claimed task of the job with some text and a log line. */
  private Claim start() {
    Claim claim = service.claim();
    service.store.freeze(claim, JsonObject.create().put("model", "house"));
    service.store.appendJournal(claim, new OutputChunk(List.of(1, 2), "Once upon "));
    service.store.appendJournal(claim, new OutputChunk(List.of(3), "a time"));
    service.store.log(claim, "info", "half way");
    return claim;
  }

  /** Ends a job; returns the claim of its task, if it had one. */
  private @Nullable Claim end(JobId id, Ending ending) throws Exception {
    Claim claim = ending.starts() ? start() : null;
    switch (ending) {
      case SUCCESS -> service.store.complete(claim, TaskResult.of("Hello back"));
      case FAILED -> service.store.fail(claim, Failure.permanent("the model has gone"));
      case CANCELLED_BEFORE_THE_START -> cancel(id, "");
      case CANCELLED_AFTER_THE_START -> cancel(id, "{\"reason\":\"no longer needed\"}");
    }
    return claim;
  }

  // States and timestamps

  @Test
  void postAnswersWithAPendingJob() throws Exception {
    ApiReply answer = service.post("/api/jobs", HELLO);
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json().values()).containsOnlyKeys("requestId", "job");
    JsonObject job = answer.job();
    assertThat(job.values()).containsOnlyKeys("id", "state", "createdAt", "logs", "metadata");
    assertThat(job.string("state")).isEqualTo("pending");
    assertThat(job.list("logs")).isEmpty();
    assertThat(UUID.fromString(job.string("id"))).hasToString(job.string("id"));
    assertThat(Instant.parse(job.string("createdAt"))).isBeforeOrEqualTo(Instant.now());
    assertThat(answer.response().headers().firstValue("Location"))
        .contains("/api/jobs/" + job.string("id"));
    assertThat(job.object("metadata").toString())
        .isEqualTo(
            "{\"requestId\":\""
                + answer.json().string("requestId")
                + "\",\"userId\":\"local\",\"orgId\":\"default\",\"action\":\"generate\","
                + "\"inputs\":{\"prompt\":\"[redacted: 5 characters]\",\"maxTokens\":5}}");
  }

  /** A store whose worker is done with a job before the submission returns. */
  private static JobStore instantStore() {
    JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              Object answer = method.invoke(store, arguments);
              if (method.getName().equals("submit")) {
                Claim claim =
                    store.claim(new ClaimRequest(Set.of("generate"), 1, "w", null)).getFirst();
                store.complete(claim, TaskResult.of("done"));
              }
              return answer;
            });
  }

  @Test
  void postAnswersPendingHoweverFastTheJobIs() throws Exception {
    try (So1TestServer instant = new So1TestServer(instantStore())) {
      ApiReply answer = instant.post("/api/jobs", HELLO, "Idempotency-Key", "k");
      assertThat(answer.job().values())
          .containsOnlyKeys("id", "state", "createdAt", "logs", "metadata")
          .containsEntry("state", "pending")
          .containsEntry("logs", List.of());
      ApiReply again = instant.post("/api/jobs", HELLO, "Idempotency-Key", "k");
      assertThat(again.job().string("id")).isEqualTo(answer.job().string("id"));
      assertThat(again.job().string("state")).as("a repetition").isEqualTo("success");
    }
  }

  @Test
  void jobIsPendingUntilAWorkerPicksItUp() throws Exception {
    JobId id = service.submit("Hello");
    assertThat(job(id).string("state")).isEqualTo("pending");
    assertThat(job(id).has("startedAt")).isFalse();
    Instant before = Instant.now();
    start();
    JsonObject running = job(id);
    assertThat(running.string("state")).isEqualTo("running");
    assertThat(Instant.parse(running.string("startedAt"))).isAfterOrEqualTo(before);
    assertThat(running.has("completedAt")).isFalse();
    assertThat(running.has("output")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void endedJobHasItsTimestampsAndItsOutput(Ending ending) throws Exception {
    JobId id = service.submit("Hello");
    end(id, ending);
    JsonObject ended = job(id);
    assertThat(ended.string("state")).isEqualTo(ending.state);
    assertThat(ended.has("startedAt")).isEqualTo(ending.starts());
    Instant created = Instant.parse(ended.string("createdAt"));
    Instant started = Instant.parse(ended.string("startedAt", ended.string("createdAt")));
    assertThat(started).isBetween(created, Instant.parse(ended.string("completedAt")));
    String output =
        switch (ending) {
          case SUCCESS -> "{\"text\":\"Hello back\"}";
          case CANCELLED_BEFORE_THE_START -> "null";
          default -> "{\"text\":\"Once upon a time\",\"partial\":true}";
        };
    assertThat(Json.write(ended.get("output"))).isEqualTo(output);
    assertThat(ended.has("error")).isEqualTo(ending == Ending.FAILED);
    if (ending == Ending.FAILED) {
      assertThat(ended.object("error").string("code")).isEqualTo("JOB_FAILED");
      assertThat(ended.object("error").string("message")).contains("the model has gone");
    }
    boolean hasReason = ending == Ending.CANCELLED_AFTER_THE_START;
    assertThat(ended.string("reason", "")).isEqualTo(hasReason ? "no longer needed" : "");
  }

  @ParameterizedTest
  @EnumSource
  void endedJobNeverChanges(Ending ending) throws Exception {
    JobId id = service.submit("Hello");
    Claim claim = end(id, ending);
    JsonObject ended = job(id);
    ApiReply cancelled = cancel(id, "{\"reason\":\"too late\"}");
    if (ending.state.equals("cancelled")) {
      assertThat(cancelled.status()).as("once more").isEqualTo(200);
      assertThat(cancelled.job()).isEqualTo(ended);
    } else {
      assertThat(cancelled.status()).isEqualTo(409);
      assertThat(cancelled.error()).startsWith("CONFLICT").contains(ending.state);
    }
    if (claim != null) {
      service.store.complete(claim, TaskResult.of("late"));
      service.store.fail(claim, Failure.of("late"));
    }
    service.store.pause(id, Cause.user("me", null));
    assertThat(service.store.claim(new ClaimRequest(Set.of("generate"), 1, "w", null))).isEmpty();
    assertThat(job(id)).isEqualTo(ended);
  }

  @Test
  void retryIsANewJob() throws Exception {
    JobId failed = service.submit("Hello");
    end(failed, Ending.FAILED);
    JobId retry = service.submit("Hello");
    assertThat(retry).isNotEqualTo(failed);
    end(retry, Ending.SUCCESS);
    assertThat(job(failed).string("state")).isEqualTo("failed");
  }

  @Test
  void pausedJobHasAStateOfSo1AndAFlag() throws Exception {
    JobId begun = service.submit("first");
    Claim claim = service.claim();
    service.store.pause(begun, Cause.user("me", null));
    service.store.release(claim, "paused");
    assertThat(job(begun).string("state")).isEqualTo("running");
    assertThat(job(begun).flag("paused", false)).isTrue();
    assertThat(job(begun).has("startedAt")).isTrue();
    service.store.resume(begun, Cause.user("me", null));
    assertThat(job(begun).has("paused")).isFalse();
    ApiReply held = service.post("/api/jobs", HELLO.replaceFirst("\\{", "{\"hold\":true,"));
    assertThat(held.job().string("state")).isEqualTo("pending");
    assertThat(held.job().flag("paused", false)).isTrue();
    assertThat(held.job().has("startedAt")).isFalse();
  }

  // Actions and inputs

  @Test
  void exampleOfSo1RunsAsItStands() throws Exception {
    ApiReply unknown = service.post("/api/jobs", EXAMPLE);
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.error())
        .isEqualTo(
            "VALIDATION_ERROR action \""
                + WORKFLOW
                + "\" is not known here; known: embed, generate, pipeline, resize");
    String dequeue = "/v1/stages/" + WORKFLOW + "/tasks/dequeue";
    assertThat(service.send("PATCH", dequeue, null).status()).as("empty queue").isEqualTo(404);
    ApiReply made = service.post("/api/jobs", EXAMPLE);
    assertThat(made.status()).isEqualTo(202);
    assertThat(made.job().string("state")).isEqualTo("pending");
    String path = "/api/jobs/" + made.job().string("id");
    try (SseTestClient events = SseTestClient.to(service, path + "/events")) {
      assertThat(events.next().state()).isEqualTo("pending");
      JsonObject task = service.send("PATCH", dequeue, null).json();
      assertThat(task.object("data").values()).isEmpty();
      assertThat(service.get(path).job().has("startedAt")).isTrue();
      String of = "/v1/tasks/" + task.string("id");
      service.post(of + "/logs", "{\"lines\":[{\"line\":\"dispatched\"}]}");
      service.send("PUT", of + "/status", "{\"status\":\"COMPLETED\",\"result\":\"run 7\"}");
      List<Event> rest = events.rest();
      assertThat(rest).filteredOn(event -> event.name().equals("status")).hasSize(2);
      assertThat(rest).anySatisfy(e -> assertThat(e.data().toString()).contains("dispatched"));
      assertThat(rest.getLast().data().toString())
          .isEqualTo("{\"state\":\"success\",\"output\":{\"text\":\"run 7\"}}");
      assertThat(events.endedInOrder()).isTrue();
    }
  }

  @Test
  void inputsAreAnyObjectAndAreRedacted() throws Exception {
    service.workerTypes.markSeen(WORKFLOW);
    String inputs = "{\"repo\":\"acme/site\",\"n\":4711,\"deep\":{\"token\":\"sk-12345678\"}}";
    ApiReply made =
        service.post("/api/jobs", "{\"action\":\"" + WORKFLOW + "\",\"inputs\":" + inputs + "}");
    assertThat(made.status()).isEqualTo(202);
    assertThat(service.get("/api/jobs/" + made.job().string("id")).response().body())
        .contains("\"repo\":\"[redacted: 9 characters]\"")
        .doesNotContain("acme", "4711", "sk-");
    assertThat(Json.write(service.claim(WORKFLOW).input())).isEqualTo(inputs);
    for (String wrong : List.of("[]", "\"x\"", "null", "7")) {
      ApiReply refused =
          service.post("/api/jobs", "{\"action\":\"" + WORKFLOW + "\",\"inputs\":" + wrong + "}");
      assertThat(refused.error()).as(wrong).startsWith("BAD_REQUEST").contains("inputs");
    }
  }

  @Test
  void restartForgetsNeitherWorkersNorKeys(@TempDir Path dir) throws Exception {
    String id;
    try (So1TestServer before = new So1TestServer(Workspace.open(dir).own().orElseThrow())) {
      before.send("PATCH", "/v1/stages/" + WORKFLOW + "/tasks/dequeue", null);
      id = before.post("/api/jobs", EXAMPLE, "Idempotency-Key", "k").job().string("id");
      before.post("/api/jobs/" + id + "/cancel", "{\"reason\":\"wrong branch\"}");
    }
    try (So1TestServer after = new So1TestServer(Workspace.open(dir).own().orElseThrow())) {
      assertThat(after.post("/api/jobs", EXAMPLE).status()).isEqualTo(202);
      ApiReply again = after.post("/api/jobs", EXAMPLE, "Idempotency-Key", "k");
      assertThat(again.status()).isEqualTo(202);
      assertThat(again.job().string("id")).isEqualTo(id);
      assertThat(again.job().string("state")).isEqualTo("cancelled");
      assertThat(again.job().string("reason")).isEqualTo("wrong branch");
      assertThat(after.get("/api/jobs/" + id + "/logs").json().toString())
          .contains("job abort by local: wrong branch");
    }
  }

  // Cancellation

  @Test
  void workerLearnsOfTheCancellation() throws Exception {
    JobId id = service.submit("Hello");
    String[] worker = {"Millrace-Worker", "w1"};
    JsonObject task =
        service.send("PATCH", "/v1/stages/generate/tasks/dequeue", null, worker).json();
    String heartbeat = "/v1/tasks/" + task.string("id") + "/heartbeat";
    String token = "{\"token\":\"" + task.string("token") + "\"}";
    assertThat(service.send("PUT", heartbeat, token).json().flag("cancel", true)).isFalse();
    assertThat(cancel(id, "").job().string("state")).isEqualTo("cancelled");
    assertThat(service.send("PUT", heartbeat, token).json().flag("cancel", false)).isTrue();
  }

  @Test
  void reasonOfACancellationIsChecked() throws Exception {
    JobId id = service.submit("Hello");
    String most = "x".repeat(500);
    for (String wrong :
        List.of("{\"reason\":\"\"}", "{\"reason\":\" \"}", "{\"reason\":\"" + most + "x\"}")) {
      assertThat(cancel(id, wrong).error()).as(wrong).startsWith("VALIDATION_ERROR");
    }
    for (String wrong : List.of("{\"reason\":7}", "{\"why\":\"x\"}", "[]")) {
      assertThat(cancel(id, wrong).error()).as(wrong).startsWith("BAD_REQUEST");
    }
    assertThat(job(id).string("state")).isEqualTo("pending");
    JsonObject ended = cancel(id, "{\"reason\":\"" + most + "\"}").job();
    assertThat(ended.string("reason")).isEqualTo(most);
    assertThat(ended.list("logs")).last().asString().endsWith(most);
  }

  // Events

  private static List<Event> closing(List<Event> events) {
    return events.stream()
        .filter(event -> event.name().equals("status"))
        .filter(event -> !Set.of("pending", "running").contains(event.state()))
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  void everyEndingHasOneClosingMessage(Ending ending) throws Exception {
    JobId id = service.submit("Hello");
    String path = So1TestServer.path(id) + "/events";
    List<Event> live;
    try (SseTestClient events = SseTestClient.to(service, path)) {
      List<Event> seen = new ArrayList<>(List.of(events.next()));
      end(id, ending);
      seen.addAll(events.rest());
      assertThat(events.endedInOrder()).as("closed by the server").isTrue();
      live = seen;
    }
    String data =
        switch (ending) {
          case SUCCESS -> "{\"state\":\"success\",\"output\":{\"text\":\"Hello back\"}}";
          case FAILED ->
              "{\"state\":\"failed\",\"output\":{\"text\":\"Once upon a time\",\"partial\":true},"
                  + "\"error\":{\"code\":\"JOB_FAILED\",\"message\":\""
                  + job(id).object("error").string("message")
                  + "\"}}";
          case CANCELLED_BEFORE_THE_START -> "{\"state\":\"cancelled\",\"output\":null}";
          case CANCELLED_AFTER_THE_START ->
              "{\"state\":\"cancelled\",\"output\":{\"text\":\"Once upon a time\","
                  + "\"partial\":true},\"reason\":\"no longer needed\"}";
        };
    assertThat(closing(live)).containsExactly(live.getLast());
    assertThat(live.getLast().data().toString()).isEqualTo(data);
    try (SseTestClient late = SseTestClient.to(service, path)) {
      assertThat(late.rest()).as("late client").containsExactly(live.getLast());
      assertThat(late.endedInOrder()).isTrue();
    }
    try (SseTestClient replay = SseTestClient.to(service, path + "?cursor=0")) {
      assertThat(replay.rest()).as("the log stays").isEqualTo(live);
    }
    assertThat(service.get(So1TestServer.path(id) + "/logs").json().list("lines"))
        .hasSizeGreaterThanOrEqualTo(live.size());
  }

  @Test
  void cursorContinuesAfterIt() throws Exception {
    JobId id = service.submit("Hello");
    Claim claim = start();
    String path = So1TestServer.path(id) + "/events";
    try (SseTestClient events = SseTestClient.to(service, path + "?cursor=2")) {
      Event first = events.next();
      assertThat(first.id()).isEqualTo(3);
      Event event = first;
      while (!event.data().string("line", "").contains("half way")) {
        event = events.next();
      }
      assertThat(event.name()).isEqualTo("log");
      assertThat(event.data().integer("cursor")).isEqualTo(event.id());
      service.store.complete(claim, TaskResult.of("x"));
      assertThat(events.rest().getLast().state()).isEqualTo("success");
    }
  }

  /** An EventSource keeps its URL, and reconnects until it is answered with 204. */
  @ParameterizedTest
  @ValueSource(strings = {"", "?cursor=0", "?cursor=2"})
  void browserStopsAfterTheEnd(String query) throws Exception {
    JobId id = service.submit("Hello");
    end(id, Ending.SUCCESS);
    String path = So1TestServer.path(id) + "/events" + query;
    String last;
    try (SseTestClient first = SseTestClient.to(service, path)) {
      last = Long.toString(first.rest().getLast().id());
    }
    ApiReply again = service.get(path, "Last-Event-ID", last);
    assertThat(again.status()).isEqualTo(204);
    assertThat(again.response().body()).isEmpty();
  }

  // Idempotency

  @Test
  void sameKeyLeadsToTheSameJob() throws Exception {
    String key = UUID.randomUUID().toString();
    ApiReply first = service.post("/api/jobs", HELLO, "Idempotency-Key", key);
    ApiReply again = service.post("/api/jobs", HELLO, "Idempotency-Key", key);
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.job().string("id")).isEqualTo(first.job().string("id"));
    assertThat(again.json().string("requestId")).isNotEqualTo(first.json().string("requestId"));
    assertThat(again.job().object("metadata")).isEqualTo(first.job().object("metadata"));
    ApiReply other =
        service.post("/api/jobs", HELLO.replace("Hello", "Bye"), "Idempotency-Key", key);
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.error()).startsWith("CONFLICT");
    assertThat(service.get("/api/jobs").json().list("jobs")).hasSize(1);
    ApiReply jobnik =
        service.post("/v1/jobs", "{\"name\":\"nightly\",\"data\":{}}", "Idempotency-Key", key);
    assertThat(jobnik.status()).as("keys of Jobnik are others").isEqualTo(201);
    assertThat(jobnik.json().string("id")).isNotEqualTo(first.job().string("id"));
  }
}
