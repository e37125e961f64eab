package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.event.Fact;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import dev.millrace.http.jobnik.fixture.InterceptedStore;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The routes for workers. */
class WorkerRoutesTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private String stage(int tasks, String more) {
    String stage =
        api.post(
                "/v1/jobs/" + api.job("{'name':'work','data':{'j':1}}") + "/stage",
                "{'type':'t','data':{'s':2},'runTimeout':'90s','backoff':{'base':'1s','jitter':0}}")
            .id();
    api.tasks(stage, tasks, more);
    return stage;
  }

  @Test
  void jobnikWorkerGetsATaskWithoutAToken() {
    stage(1, "");
    ApiReply got = api.dequeue("t");
    assertThat(got.status()).isEqualTo(200);
    JsonObject task = got.object();
    assertThat(task.string("status")).isEqualTo("IN_PROGRESS");
    assertThat(task.object("data").integer("n")).isEqualTo(1);
    assertThat(task.object("jobData").integer("j")).isEqualTo(1);
    assertThat(task.object("stageData").integer("s")).isEqualTo(2);
    assertThat(task.integer("attempt")).isEqualTo(1);
    assertThat(task.integer("leaseSeconds")).isEqualTo(1_800);
    assertThat(task.integer("runTimeoutSeconds")).isEqualTo(90);
    assertThat(task.string("worker")).isEqualTo("local");
    assertThat(task.has("token")).isFalse();
    ApiReply done = api.put("/v1/tasks/" + got.id() + "/status", "{'status':'COMPLETED'}");
    assertThat(done.status()).isEqualTo(200);
    assertThat(done.string("status")).isEqualTo("COMPLETED");
    assertThat(done.string("result")).isEmpty();
    assertThat(done.string("endTime")).isEqualTo("2026-03-01T08:00:00Z");
  }

  @Test
  void emptyQueueIsNotFound() {
    ApiReply none = api.dequeue("t");
    assertThat(none.brief()).isEqualTo("404 TASK_NOT_FOUND");
    assertThat(none.message()).contains("\"t\"");
    assertThat(api.dequeue("a%0Ab").brief()).isEqualTo("404 NOT_FOUND");
    assertThat(api.dequeue("x".repeat(129)).brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void limitReturnsAList() {
    stage(3, "");
    String path = "/v1/stages/t/tasks/dequeue?limit=2";
    assertThat(api.send("PATCH", path, null).list()).hasSize(2);
    assertThat(api.send("PATCH", path, null).list()).hasSize(1);
    ApiReply none = api.send("PATCH", path, null);
    assertThat(none.status()).isEqualTo(200);
    assertThat(none.list()).isEmpty();
    for (String bad : List.of("0", "1001", "x")) {
      assertThat(api.send("PATCH", "/v1/stages/t/tasks/dequeue?limit=" + bad, null).message())
          .contains("limit");
    }
  }

  @Test
  void namedWorkerGetsATokenAndItsLease() {
    stage(2, "");
    JsonObject usual = api.dequeue("t", "bob", "").object();
    assertThat(usual.string("token")).isNotEmpty();
    assertThat(usual.integer("leaseSeconds")).isEqualTo(60);
    assertThat(usual.string("worker")).isEqualTo("bob");
    assertThat(api.dequeue("t", "bob", "?lease=7").object().integer("leaseSeconds")).isEqualTo(7);
    assertThat(api.dequeue("t", "bob", "?lease=4").message()).contains("lease");
    assertThat(api.send("PATCH", "/v1/stages/t/tasks/dequeue?lease=60", null).message())
        .contains("lease")
        .contains(WorkerRoutes.WORKER);
    assertThat(api.dequeue("t", "x".repeat(101), "").brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void reportsWithoutTheRightTokenAreRefused() {
    stage(1, "");
    JsonObject task = api.dequeue("t", "bob", "").object();
    String path = "/v1/tasks/" + task.string("id");
    for (String body : List.of("{'status':'COMPLETED'}", "{'status':'FAILED','token':'9.9'}")) {
      ApiReply got = api.put(path + "/status", body);
      assertThat(got.brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
      assertThat(got.message()).contains("token");
    }
    assertThat(api.put(path + "/heartbeat", "{'token':'9.9'}").brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.put(path + "/release", "{}").brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.post(path + "/logs", "{'lines':[{'line':'x'}]}").brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.status(path)).isEqualTo("IN_PROGRESS");
    assertThat(api.complete(task).string("status")).isEqualTo("COMPLETED");
  }

  @Test
  void unclaimedTaskCannotBeCompleted() {
    String task = api.tasks(api.stage(api.job(), "t"), 1).getFirst();
    ApiReply got = api.put("/v1/tasks/" + task + "/status", "{'status':'COMPLETED'}");
    assertThat(got.brief()).isEqualTo("400 ILLEGAL_TASK_STATUS_TRANSITION");
    assertThat(got.message()).isEqualTo("Illegal status transition from PENDING to COMPLETED");
    assertThat(api.put("/v1/tasks/" + task + "/heartbeat", "{}").brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
  }

  @Test
  void resultsAndReceiptsAreStored() {
    stage(3, "");
    ApiReply text = api.report(next(), "COMPLETED", ",'result':'fine','receipt':{'ms':3}");
    assertThat(text.string("result")).isEqualTo("fine");
    assertThat(text.object().object("receipt").integer("ms")).isEqualTo(3);
    ApiReply value = api.report(next(), "COMPLETED", ",'result':{'a':[1,null]}");
    assertThat(value.string("result")).isEqualTo(JobnikTestServer.json("{'a':[1,null]}"));
    assertThat(api.report(next(), "COMPLETED", "").string("result")).isEmpty();
  }

  private JsonObject next() {
    return api.dequeue("t", "bob", "").object();
  }

  @Test
  void failureCostsAnAttemptAndWaitsForItsBackoff() {
    stage(1, ",'maxAttempts':2");
    ApiReply first = api.fail(next(), "no disk");
    assertThat(first.string("status")).isEqualTo("RETRIED");
    assertThat(first.object().integer("attempts")).isEqualTo(1);
    assertThat(first.string("error")).isEqualTo("no disk");
    assertThat(first.string("notBefore")).isEqualTo("2026-03-01T08:00:01Z");
    assertThat(api.dequeue("t").brief()).isEqualTo("404 TASK_NOT_FOUND");
    api.clock.advance(Duration.ofSeconds(1));
    JsonObject again = next();
    assertThat(again.integer("attempt")).isEqualTo(2);
    ApiReply second = api.fail(again, "still none");
    assertThat(second.string("status")).isEqualTo("FAILED");
    assertThat(second.object().integer("attempts")).isEqualTo(2);
    JsonObject job = api.get("/v1/jobs").list().getFirst();
    assertThat(job.string("status")).isEqualTo("FAILED");
    assertThat(job.string("error")).contains("still none");
  }

  @Test
  void permanentFailureIsNotRetried() {
    stage(1, ",'maxAttempts':5");
    ApiReply got = api.report(next(), "FAILED", ",'error':'bad input','retryable':false");
    assertThat(got.string("status")).isEqualTo("FAILED");
  }

  @Test
  void repeatedReportIsAcceptedAndChangesNothing() {
    String stage = stage(3, ",'maxAttempts':2");
    JsonObject done = next();
    api.report(done, "COMPLETED", ",'result':'r'");
    ApiReply again = api.report(done, "COMPLETED", ",'result':'r'");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.string("status")).isEqualTo("COMPLETED");
    assertThat(api.report(done, "COMPLETED", ",'result':'other'").brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.fail(done, "e").brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    JsonObject failed = next();
    api.fail(failed, "e");
    ApiReply twice = api.fail(failed, "e");
    assertThat(twice.status()).isEqualTo(200);
    assertThat(twice.object().integer("attempts")).isEqualTo(1);
    assertThat(api.complete(failed).brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.get("/v1/stages/" + stage + "/summary").object().integer("completed"))
        .isEqualTo(1);
  }

  @Test
  void repeatedReportOfAJobnikWorkerIsAccepted() {
    stage(2, "");
    JsonObject task = api.dequeue("t").object();
    api.complete(task);
    assertThat(api.complete(task).status()).isEqualTo(200);
    ApiReply other = api.fail(task, "e");
    assertThat(other.brief()).isEqualTo("400 ILLEGAL_TASK_STATUS_TRANSITION");
    assertThat(other.message()).isEqualTo("Illegal status transition from COMPLETED to FAILED");
  }

  @Test
  void reportAfterTheLeaseIsRefused() {
    stage(1, "");
    JsonObject slow = next();
    api.clock.advance(Duration.ofSeconds(61));
    assertThat(api.store.sweep()).isEqualTo(1);
    assertThat(api.complete(slow).brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(
            api.put("/v1/tasks/" + slow.string("id") + "/heartbeat", heartbeatBody(slow)).brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    JsonObject second = next();
    assertThat(second.string("id")).isEqualTo(slow.string("id"));
    assertThat(second.integer("attempts")).isZero();
    assertThat(api.fail(slow, "late").brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.report(second, "COMPLETED", ",'result':'mine'").status()).isEqualTo(200);
    assertThat(api.complete(slow).brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.get("/v1/tasks/" + slow.string("id")).string("result")).isEqualTo("mine");
  }

  @Test
  void reportOfAJobnikWorkerAfterItsLeaseIsRefused() {
    String stage = api.stage(api.job(), "u");
    api.tasks(stage, 1);
    JsonObject task = api.dequeue("u").object();
    api.clock.advance(Duration.ofMinutes(29));
    assertThat(api.store.sweep()).isZero();
    api.clock.advance(Duration.ofMinutes(2));
    assertThat(api.store.sweep()).isEqualTo(1);
    assertThat(api.complete(task).brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
    assertThat(api.get("/v1/tasks/" + task.string("id")).object().integer("attempts")).isZero();
  }

  @Test
  void heartbeatKeepsTheClaimOfALongTask() {
    String stage = api.stage(api.job(), "u");
    api.tasks(stage, 1);
    JsonObject task = api.dequeue("u", "bob", "?lease=10").object();
    for (int i = 0; i < 20; i++) {
      api.clock.advance(Duration.ofSeconds(8));
      assertThat(api.store.sweep()).isZero();
      ApiReply beat = api.put("/v1/tasks/" + task.string("id") + "/heartbeat", heartbeatBody(task));
      assertThat(beat.text())
          .isEqualTo(JobnikTestServer.json("{'cancel':false,'pause':false,'leaseSeconds':10}"));
    }
    assertThat(api.complete(task).status()).isEqualTo(200);
  }

  private static String heartbeatBody(JsonObject task) {
    return "{'token':'" + task.string("token") + "','progress':true}";
  }

  @Test
  void heartbeatReportsPauseAndAbort() {
    stage(1, "");
    JsonObject task = next();
    String job = "/v1/jobs/" + task.string("jobId") + "/status";
    String heartbeat = "/v1/tasks/" + task.string("id") + "/heartbeat";
    api.put(job, "{'status':'PAUSED'}");
    JsonObject paused = api.put(heartbeat, heartbeatBody(task)).object();
    assertThat(paused.flag("pause", false)).isTrue();
    assertThat(paused.flag("cancel", true)).isFalse();
    assertThat(paused.string("reason")).contains("on hold");
    api.put(job, "{'status':'ABORTED'}");
    JsonObject cancelled = api.put(heartbeat, heartbeatBody(task)).object();
    assertThat(cancelled.flag("cancel", false)).isTrue();
    assertThat(cancelled.string("reason")).contains("ended");
    assertThat(api.put(heartbeat, "{'token':'9.9'}").brief())
        .isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
  }

  @Test
  void reportForAnAbortedTaskIsRefused() {
    stage(2, "");
    for (JsonObject task : List.of(next(), api.dequeue("t").object())) {
      api.put("/v1/jobs/" + task.string("jobId") + "/status", "{'status':'ABORTED'}");
      ApiReply got = api.report(task, "COMPLETED", ",'result':'too late'");
      assertThat(got.brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
      assertThat(got.message()).contains("aborted").contains("partial");
      assertThat(api.status("/v1/tasks/" + task.string("id"))).isEqualTo("ABORTED");
    }
  }

  @Test
  void requestsWithoutTheTokenOfATaskAreRefused() {
    List<Claim> claims = new ArrayList<>();
    InterceptedStore interceptor =
        (method, arguments) -> {
          if (arguments != null && arguments[0] instanceof Claim claim) {
            claims.add(claim);
          }
        };
    try (JobnikTestServer server =
        new JobnikTestServer(InterceptedStore.memoryStore(interceptor))) {
      String job = server.job();
      server.tasks(server.stage(job, "t"), 2);
      JsonObject fenced = server.dequeue("t", "w", "").object();
      JsonObject tokenless = server.dequeue("t").object();
      server.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
      String path = "/v1/tasks/" + fenced.string("id");
      for (String body :
          List.of(
              "/status {'status':'COMPLETED','result':'forged'}",
              "/status {'status':'FAILED','error':'e','partial':'forged'}",
              "/heartbeat {}",
              "/release {}")) {
        ApiReply got = server.put(path + body.split(" ", 2)[0], body.split(" ", 2)[1]);
        assertThat(got.brief()).as(body).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
        assertThat(got.message()).as(body).contains("token");
      }
      assertThat(claims).isEmpty();
      server.report(fenced, "COMPLETED", ",'result':'late'");
      server.report(tokenless, "COMPLETED", ",'result':'late'");
      assertThat(claims).extracting(Claim::type).containsExactly("t", "t");
      assertThat(claims).extracting(Claim::tokenless).containsExactly(false, true);
    }
  }

  @Test
  void releasedTaskCostsNoAttempt() {
    stage(1, "");
    JsonObject task = next();
    String path = "/v1/tasks/" + task.string("id") + "/release";
    String body = "{'token':'" + task.string("token") + "','reason':'stopping'}";
    ApiReply got = api.put(path, body);
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.string("status")).isEqualTo("RETRIED");
    assertThat(got.object().integer("attempts")).isZero();
    assertThat(api.put(path, body).status()).isEqualTo(200);
    assertThat(next().string("id")).isEqualTo(task.string("id"));
    assertThat(api.put(path, body).brief()).isEqualTo("409 TASK_STATUS_UPDATE_FAILED");
  }

  @Test
  void linesAreAddedToTheLogOfTheJob() {
    stage(1, "");
    JsonObject task = next();
    ApiReply got =
        api.post(
            "/v1/tasks/" + task.string("id") + "/logs",
            "{'token':'"
                + task.string("token")
                + "','lines':[{'level':'warn','line':'one'},{'line':'two'}]}");
    assertThat(got.text())
        .isEqualTo(JobnikTestServer.json("{'code':'TASK_MODIFIED_SUCCESSFULLY'}"));
    assertThat(api.store.events(api.store.list(Query.all()).getFirst(), 0, 100))
        .extracting(entry -> entry.fact())
        .contains(
            new Fact.WorkerLogLine(1, 1, "warn", "one"),
            new Fact.WorkerLogLine(1, 1, "info", "two"));
  }

  @Test
  void waitingWorkerGetsANewTaskAtOnce() throws Exception {
    String stage = api.stage(api.job(), "t");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting = threads.submit(() -> api.dequeue("t", "bob", "?wait=30"));
      assertThat(api.dequeue("t", "eve", "?wait=0").brief()).isEqualTo("404 TASK_NOT_FOUND");
      api.tasks(stage, 1);
      assertThat(waiting.get().string("worker")).isEqualTo("bob");
    }
  }

  @Test
  void waitingWorkerWhoseKeyIsRevokedGetsNoTask(@TempDir Path directory) throws Exception {
    String stage = api.stage(api.job(), "t");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting =
          threads.submit(
              () ->
                  api.statusWithScope(
                      KeyScope.WORK,
                      directory,
                      uri ->
                          HttpRequest.newBuilder(uri.resolve("/v1/stages/t/tasks/dequeue?wait=60"))
                              .method("PATCH", BodyPublishers.noBody())));
      await().until(() -> api.waiting() == 1);
      ApiKeyFile.remove(directory.resolve("keys"), "somebody");
      api.tasks(stage, 1);
      assertThat(waiting.get()).isEqualTo(404);
      assertThat(api.dequeue("t", "bob", "?wait=10").string("worker")).isEqualTo("bob");
    }
  }

  @Test
  void drainEndsTheWait() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var one = threads.submit(() -> api.dequeue("t", "bob", "?wait=60"));
      var list = threads.submit(() -> api.dequeue("t", "bob", "?wait=60&limit=5"));
      await().until(() -> api.waiting() == 2);
      assertThat(api.service.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(one.get().brief()).isEqualTo("404 TASK_NOT_FOUND");
      assertThat(list.get().list()).isEmpty();
    }
  }

  /** The answer names the field, and the worker keeps the task. */
  @Test
  void fieldsOfTheOtherStatusAreRefused() {
    stage(1, "");
    String at = "/v1/tasks/" + api.dequeue("t").id() + "/status";
    for (String field : List.of("'error':'e'", "'retryable':true", "'partial':'p'")) {
      ApiReply got = api.put(at, "{'status':'COMPLETED'," + field + "}");
      assertThat(got.brief()).as(field).isEqualTo("400 VALIDATION_ERROR");
      assertThat(got.message()).contains(field.split("'")[1]).contains("COMPLETED");
    }
    assertThat(api.put(at, "{'status':'FAILED','result':'r'}").message()).contains("result");
    assertThat(api.put(at, "{'status':'COMPLETED','result':'r'}").status()).isEqualTo(200);
  }
}
