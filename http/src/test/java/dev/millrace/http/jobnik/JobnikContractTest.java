package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import dev.millrace.http.jobnik.fixture.StrictJobnikSchema;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client of Jobnik does and expects, as a client that knows nothing of Millrace: no header,
 * no token, and a schema that forbids additional properties. The cases follow the behaviour of
 * Jobnik's manager and SDK.
 */
class JobnikContractTest {
  private final JobnikTestServer api = new JobnikTestServer().asJobnikClient();

  @AfterEach
  void close() {
    api.close();
  }

  private static ApiReply strict(String entity, ApiReply reply) {
    StrictJobnikSchema.check(entity, reply.text());
    return reply;
  }

  private String status(String job, String status) {
    ApiReply reply = api.put("/v1/jobs/" + job + "/status", "{'status':'" + status + "'}");
    strict(reply.status() == 200 ? "code" : "error", reply);
    return reply.status() == 200 ? reply.code() : reply.code() + ": " + reply.message();
  }

  private JsonObject dequeue(String type) {
    ApiReply reply = api.dequeue(type);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return strict("task", reply).object();
  }

  private String finish(JsonObject task, String status) {
    return strict(
            "task",
            api.put("/v1/tasks/" + task.string("id") + "/status", "{'status':'" + status + "'}"))
        .string("status");
  }

  private List<String> statuses(String job) {
    return strict("stages", api.get("/v1/jobs/" + job + "/stages")).list().stream()
        .map(stage -> stage.string("status"))
        .toList();
  }

  // --- producer ---------------------------------------------------------------------------------

  @Test
  void producerCreatesAJobWithStagesAndTasks() {
    ApiReply job =
        strict(
            "job", api.post("/v1/jobs", "{'name':'nightly','data':{'day':1},'priority':'HIGH'}"));
    assertThat(job.status()).isEqualTo(201);
    assertThat(job.string("status")).isEqualTo("PENDING");
    assertThat(job.object().integer("percentage")).isZero();
    String stages = "/v1/jobs/" + job.id() + "/stage";
    ApiReply first = strict("stage", api.post(stages, "{'type':'tiling','data':{'zoom':3}}"));
    ApiReply second = strict("stage", api.post(stages, "{'type':'merging','data':{}}"));
    ApiReply third =
        strict("stage", api.post(stages, "{'type':'publish','data':{},'startAsWaiting':true}"));
    assertThat(List.of(first.status(), second.status(), third.status())).containsOnly(201);
    assertThat(statuses(job.id())).containsExactly("PENDING", "CREATED", "WAITING");
    assertThat(List.of(first, second, third))
        .extracting(stage -> stage.object().integer("order"))
        .containsExactly(1L, 2L, 3L);
    ApiReply tasks =
        strict(
            "tasks",
            api.post(
                "/v1/stages/" + first.id() + "/tasks",
                "[{'data':{'x':1},'maxAttempts':2},{'data':{'x':2}}]"));
    assertThat(tasks.status()).isEqualTo(201);
    assertThat(tasks.list())
        .extracting(task -> task.string("status") + " " + task.integer("attempts"))
        .containsExactly("PENDING 0", "PENDING 0");
    JsonObject summary =
        strict("summary", api.get("/v1/stages/" + first.id() + "/summary")).object();
    assertThat(summary.integer("pending")).isEqualTo(2);
    assertThat(summary.integer("total")).isEqualTo(2);
  }

  @Test
  void everyReadIsStrict() {
    String job = api.job();
    String stage = api.stage(job, "t");
    List<String> tasks = api.tasks(stage, 2, ",'maxAttempts':2");
    JsonObject claimed = dequeue("t");
    finish(claimed, "FAILED");
    finish(dequeue("t"), "FAILED");
    strict("jobs", api.get("/v1/jobs"));
    strict("jobs", api.get("/v1/jobs?should_return_stages=true"));
    strict("job", api.get("/v1/jobs/" + job + "?should_return_stages=true"));
    strict("stages", api.get("/v1/stages?should_return_tasks=true"));
    strict("stages", api.get("/v1/jobs/" + job + "/stages?should_return_tasks=true"));
    strict("stage", api.get("/v1/stages/" + stage + "?should_return_tasks=true"));
    strict("tasks", api.get("/v1/stages/" + stage + "/tasks"));
    strict("tasks", api.get("/v1/tasks?stage_type=t"));
    strict("task", api.get("/v1/tasks/" + tasks.getFirst()));
    for (String path : List.of("/v1/jobs/" + job, "/v1/stages/" + stage)) {
      strict("code", api.patch(path + "/user-metadata", "{'seen':true}"));
    }
  }

  @Test
  void fieldsOfOursNeedTheHeader() {
    String task = api.tasks(api.stage(api.job(), "t"), 1).getFirst();
    api.put(
        "/v1/tasks/" + dequeue("t").string("id") + "/status",
        "{'status':'COMPLETED','result':'done'}");
    assertThat(api.get("/v1/tasks/" + task).object().has("result")).isFalse();
    ApiReply all = api.send("GET", "/v1/tasks/" + task, null, ExtensionFields.HEADER, "true");
    assertThat(all.string("result")).isEqualTo("done");
    ApiReply odd = api.send("GET", "/v1/tasks/" + task, null, ExtensionFields.HEADER, "maybe");
    assertThat(odd.brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void metadataIsReplaced() {
    String job = api.job();
    String path = "/v1/jobs/" + job + "/user-metadata";
    assertThat(strict("code", api.patch(path, "{'a':1}")).code())
        .isEqualTo("JOB_MODIFIED_SUCCESSFULLY");
    api.patch(path, "{'b':2}");
    assertThat(api.get("/v1/jobs/" + job).object().object("userMetadata").values())
        .isEqualTo(Map.of("b", 2L));
  }

  @Test
  void theSamePriorityIsNoContent() {
    String job = api.job();
    ApiReply same = api.patch("/v1/jobs/" + job + "/priority", "{'priority':'MEDIUM'}");
    assertThat(same.status()).isEqualTo(204);
    assertThat(same.header("Reason")).isEqualTo("PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE");
    assertThat(api.patch("/v1/jobs/" + job + "/priority", "{'priority':'HIGH'}").code())
        .isEqualTo("JOB_MODIFIED_SUCCESSFULLY");
  }

  @Test
  void onlyAFinishedJobIsDeleted() {
    String job = api.job();
    ApiReply refused = strict("error", api.delete("/v1/jobs/" + job));
    assertThat(refused.brief()).isEqualTo("400 JOB_NOT_IN_FINITE_STATE");
    assertThat(refused.message()).startsWith("JOB_NOT_IN_FINITE_STATE: ");
    status(job, "ABORTED");
    assertThat(strict("code", api.delete("/v1/jobs/" + job)).code())
        .isEqualTo("JOB_DELETED_SUCCESSFULLY");
    assertThat(api.get("/v1/jobs/" + job).brief()).isEqualTo("404 JOB_NOT_FOUND");
  }

  // --- consumer ---------------------------------------------------------------------------------

  @Test
  void aFailedTaskCanBeDequeuedAtOnce() {
    String stage = api.stage(api.job(), "t");
    String task = api.tasks(stage, 1, ",'maxAttempts':3").getFirst();
    for (int attempt = 1; attempt <= 3; attempt++) {
      JsonObject claimed = dequeue("t");
      assertThat(claimed.string("id")).isEqualTo(task);
      assertThat(claimed.integer("attempts")).isEqualTo(attempt - 1);
      assertThat(finish(claimed, "FAILED")).isEqualTo(attempt < 3 ? "RETRIED" : "FAILED");
    }
    assertThat(api.dequeue("t").brief()).isEqualTo("404 TASK_NOT_FOUND");
    assertThat(api.status("/v1/stages/" + stage)).isEqualTo("FAILED");
  }

  @Test
  void aStageThatNamesABackoffHasIt() {
    String job = api.job();
    String body = "{'type':'t','data':{},'backoff':{'base':'10s','max':'10s','jitter':0}}";
    api.tasks(api.post("/v1/jobs/" + job + "/stage", body).id(), 1, ",'maxAttempts':2");
    finish(dequeue("t"), "FAILED");
    assertThat(api.dequeue("t").brief()).isEqualTo("404 TASK_NOT_FOUND");
    api.clock.advance(Duration.ofSeconds(10));
    assertThat(dequeue("t").integer("attempts")).isEqualTo(1);
  }

  @Test
  void aRepeatedAnswerIsTheSame() {
    api.tasks(api.stage(api.job(), "t"), 1);
    JsonObject task = dequeue("t");
    assertThat(finish(task, "COMPLETED")).isEqualTo("COMPLETED");
    assertThat(finish(task, "COMPLETED")).isEqualTo("COMPLETED");
    ApiReply other =
        strict(
            "error", api.put("/v1/tasks/" + task.string("id") + "/status", "{'status':'FAILED'}"));
    assertThat(other.brief()).isEqualTo("400 ILLEGAL_TASK_STATUS_TRANSITION");
    assertThat(other.message()).isEqualTo("Illegal status transition from COMPLETED to FAILED");
  }

  @Test
  void theMostUrgentJobComesFirst() {
    for (String priority : List.of("VERY_LOW", "MEDIUM", "VERY_HIGH", "LOW", "HIGH")) {
      String job = api.job("{'name':'" + priority + "','data':{},'priority':'" + priority + "'}");
      api.tasks(api.stage(job, "t"), 1);
    }
    List<String> names =
        List.of(1, 2, 3, 4, 5).stream()
            .map(
                _ -> {
                  String stage = dequeue("t").string("stageId");
                  String job = api.get("/v1/stages/" + stage).string("jobId");
                  return api.get("/v1/jobs/" + job).string("name");
                })
            .toList();
    assertThat(names).containsExactly("VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW");
  }

  // --- state machines ---------------------------------------------------------------------------

  @Test
  void tasksDriveStagesAndStagesTheirJob() {
    String job = api.job();
    String first = api.stage(job, "a");
    api.tasks(first, 2);
    String gate =
        api.post("/v1/jobs/" + job + "/stage", "{'type':'b','data':{},'startAsWaiting':true}").id();
    api.tasks(gate, 1);
    JsonObject one = dequeue("a");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("IN_PROGRESS");
    assertThat(statuses(job)).containsExactly("IN_PROGRESS", "WAITING");
    finish(one, "COMPLETED");
    assertThat(api.get("/v1/stages/" + first).object().integer("percentage")).isEqualTo(50);
    finish(dequeue("a"), "COMPLETED");
    assertThat(statuses(job)).containsExactly("COMPLETED", "WAITING");
    assertThat(api.get("/v1/jobs/" + job).object().integer("percentage")).isEqualTo(50);
    assertThat(api.dequeue("b").brief()).isEqualTo("404 TASK_NOT_FOUND");
    assertThat(
            strict("code", api.put("/v1/stages/" + gate + "/status", "{'status':'PENDING'}"))
                .code())
        .isEqualTo("STAGE_MODIFIED_SUCCESSFULLY");
    finish(dequeue("b"), "COMPLETED");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
    assertThat(api.get("/v1/jobs/" + job).object().integer("percentage")).isEqualTo(100);
  }

  @Test
  void stagesAfterTheFailedOneStayAsTheyAre() {
    String job = api.job();
    api.tasks(api.stage(job, "done"), 1);
    List<String> failing = api.tasks(api.stage(job, "broken"), 2);
    String later = api.stage(job, "later");
    String waiting = api.tasks(later, 1).getFirst();
    String gate =
        api.post("/v1/jobs/" + job + "/stage", "{'type':'gate','data':{},'startAsWaiting':true}")
            .id();
    finish(dequeue("done"), "COMPLETED");
    finish(dequeue("broken"), "FAILED");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("FAILED");
    assertThat(statuses(job)).containsExactly("COMPLETED", "FAILED", "CREATED", "WAITING");
    assertThat(failing)
        .extracting(task -> api.status("/v1/tasks/" + task))
        .containsExactly("FAILED", "ABORTED");
    assertThat(api.status("/v1/tasks/" + waiting)).isEqualTo("PENDING");
    assertThat(api.dequeue("later").brief()).isEqualTo("404 TASK_NOT_FOUND");
    assertThat(api.put("/v1/stages/" + gate + "/status", "{'status':'PENDING'}").message())
        .isEqualTo("Previous stage is not COMPLETED");
    assertThat(api.post("/v1/stages/" + later + "/tasks", "[{'data':{}}]").brief())
        .isEqualTo("400 JOB_IN_FINITE_STATE");
  }

  @Test
  void anAbortCascades() {
    String job = api.job();
    String task = api.tasks(api.stage(job, "a"), 1).getFirst();
    api.stage(job, "b");
    assertThat(status(job, "ABORTED")).isEqualTo("JOB_MODIFIED_SUCCESSFULLY");
    assertThat(statuses(job)).containsExactly("ABORTED", "ABORTED");
    assertThat(api.status("/v1/tasks/" + task)).isEqualTo("ABORTED");
  }

  /** Jobnik's own table of what a user may do; nothing else, not even to the present state. */
  @ParameterizedTest
  @CsvSource({
    "PENDING, PENDING, no",
    "PENDING, PAUSED, yes",
    "PENDING, ABORTED, yes",
    "IN_PROGRESS, PENDING, no",
    "IN_PROGRESS, PAUSED, yes",
    "IN_PROGRESS, ABORTED, yes",
    "PAUSED, PENDING, yes",
    "PAUSED, PAUSED, no",
    "PAUSED, ABORTED, yes",
    "COMPLETED, PENDING, no",
    "COMPLETED, PAUSED, no",
    "COMPLETED, ABORTED, no",
    "FAILED, PENDING, no",
    "FAILED, PAUSED, no",
    "FAILED, ABORTED, no",
    "ABORTED, PENDING, no",
    "ABORTED, PAUSED, no",
    "ABORTED, ABORTED, no"
  })
  void aUserMayChangeTheStatusOfAJob(String from, String to, String allowed) {
    String job = api.job();
    api.tasks(api.stage(job, "t"), 1);
    switch (from) {
      case "IN_PROGRESS" -> dequeue("t");
      case "COMPLETED", "FAILED" -> finish(dequeue("t"), from);
      case "PAUSED", "ABORTED" -> status(job, from);
      default -> {}
    }
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo(from);
    assertThat(status(job, to))
        .isEqualTo(
            allowed.equals("yes")
                ? "JOB_MODIFIED_SUCCESSFULLY"
                : "ILLEGAL_JOB_STATUS_TRANSITION: Illegal status transition from "
                    + from
                    + " to "
                    + to);
  }

  // --- errors and paths -------------------------------------------------------------------------

  @Test
  void errorsBeginWithJobniksConstants() {
    String none = UUID.randomUUID().toString();
    String job = api.job();
    String stage = api.stage(job, "t");
    api.tasks(stage, 1);
    JsonObject task = dequeue("t");
    assertThat(error(api.post("/v1/stages/" + stage + "/tasks", "[{'data':{}}]")))
        .isEqualTo("400 NOT_ALLOWED_TO_ADD_TASKS_TO_IN_PROGRESS_STAGE ADD_TASK_NOT_ALLOWED");
    finish(task, "COMPLETED");
    assertThat(error(api.post("/v1/stages/" + stage + "/tasks", "[{'data':{}}]")))
        .isEqualTo("400 STAGE_IN_FINITE_STATE STAGE_ALREADY_FINISHED_TASKS_ERROR");
    assertThat(error(api.post("/v1/jobs/" + job + "/stage", "{'type':'u','data':{}}")))
        .isEqualTo("400 JOB_IN_FINITE_STATE JOB_ALREADY_FINISHED_STAGES_ERROR");
    String whole = api.post("/v1/pipelines", "{'stages':[{'type':'z','tasks':['a']}]}").id();
    assertThat(error(api.post("/v1/jobs/" + whole + "/stage", "{'type':'u','data':{}}")))
        .isEqualTo("400 JOB_SEALED PREDEFINED_JOB_STAGE_MODIFICATION_ERROR");
    assertThat(error(api.get("/v1/jobs/" + none))).isEqualTo("404 JOB_NOT_FOUND JOB_NOT_FOUND");
    assertThat(error(api.get("/v1/stages/" + none)))
        .isEqualTo("404 STAGE_NOT_FOUND STAGE_NOT_FOUND");
    assertThat(error(api.get("/v1/tasks/" + none))).isEqualTo("404 TASK_NOT_FOUND TASK_NOT_FOUND");
    assertThat(error(api.dequeue("t"))).isEqualTo("404 TASK_NOT_FOUND TASK_NOT_FOUND");
    assertThat(api.get("/v1/jobs/" + none).message()).startsWith("JOB_NOT_FOUND: there is no");
  }

  /** Status, code, and the constant that the message begins with. */
  private static String error(ApiReply reply) {
    return strict("error", reply).brief() + " " + reply.message().split(":", 2)[0];
  }

  @Test
  void listsOfAnUnknownParentAreEmpty() {
    for (String path : List.of("/v1/stages?job_id=", "/v1/tasks?stage_id=")) {
      ApiReply reply = api.get(path + UUID.randomUUID());
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.text()).isEqualTo("[]");
    }
  }

  @Test
  void aLastSlashIsIgnored() {
    String job = api.job();
    assertThat(api.get("/v1/jobs/").list()).hasSize(1);
    assertThat(api.get("/v1/jobs/" + job + "/").id()).isEqualTo(job);
    assertThat(api.get("/v1/jobs//").status()).isEqualTo(404);
    String[] key = {"Idempotency-Key", UUID.randomUUID().toString()};
    String more = api.post("/v1/jobs/", "{'name':'more','data':{}}", key).id();
    assertThat(api.post("/v1/jobs", "{'name':'more','data':{}}", key).id()).isEqualTo(more);
  }

  @Test
  void aTraceStateAloneIsIgnored() {
    ApiReply job = api.post("/v1/jobs", "{'name':'abc','data':{},'tracestate':'a=b'}");
    assertThat(strict("job", job).object().has("tracestate")).isFalse();
  }

  @Test
  void aTypeMayHave128Characters() {
    String type = "x".repeat(128);
    String stage = api.stage(api.job(), type);
    assertThat(api.get("/v1/stages?stage_type=" + type).list())
        .extracting(one -> one.string("id"))
        .containsExactly(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"image resize", "größe", "a\\b", "100%", "x;y=z?#&", "..x", "製造"})
  void typesAreFreeText(String type) {
    String body = "{'type':'" + type.replace("\\", "\\\\") + "','data':{}}";
    ApiReply stage = strict("stage", api.post("/v1/jobs/" + api.job() + "/stage", body));
    assertThat(stage.string("type")).isEqualTo(type);
    api.tasks(stage.id(), 1);
    String encoded = URLEncoder.encode(type, StandardCharsets.UTF_8);
    String path = encoded.replace("+", "%20");
    assertThat(api.get("/v1/tasks?stage_type=" + path).list()).hasSize(1);
    assertThat(dequeue(path).string("stageId")).isEqualTo(stage.id());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "a\\u0007b", "\\u0065\\u0301", ".."})
  void someTypesAreRefused(String type) {
    ApiReply reply =
        api.post("/v1/jobs/" + api.job() + "/stage", "{'type':'" + type + "','data':{}}");
    assertThat(reply.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(reply.message()).contains("type");
  }
}
