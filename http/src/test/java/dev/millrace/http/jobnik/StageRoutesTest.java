package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The routes for stages. */
class StageRoutesTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void firstStageIsPendingOthersAreCreatedOrWaiting() {
    String job = api.job();
    ApiReply first =
        api.post(
            "/v1/jobs/" + job + "/stage",
            "{'type':'resize','data':{'q':80},'userMetadata':{'a':1}}");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.object().toString())
        .isEqualTo(
            JobnikTestServer.json(
                "{'id':'"
                    + first.id()
                    + "','jobId':'"
                    + job
                    + "','type':'resize','order':1,'data':{'q':80},'userMetadata':{'a':1},"
                    + "'status':'PENDING','percentage':0,'summary':{'pending':0,'inProgress':0,"
                    + "'completed':0,'failed':0,'created':0,'retried':0,'aborted':0,'total':0},"
                    + "'gate':false,'traceparent':'"
                    + api.get("/v1/jobs/" + job).string("traceparent")
                    + "','levers':[]}"));
    JsonObject second = api.get("/v1/stages/" + api.stage(job, "blur")).object();
    assertThat(second.string("status")).isEqualTo("CREATED");
    assertThat(second.integer("order")).isEqualTo(2);
    JsonObject gate =
        api.post("/v1/jobs/" + job + "/stage", "{'type':'check','data':{},'startAsWaiting':true}")
            .object();
    assertThat(gate.string("status")).isEqualTo("WAITING");
    assertThat(gate.flag("gate", false)).isTrue();
  }

  @Test
  void traceOfAStageComesFromItselfOrItsRequestOrItsJob() {
    String job = api.post("/v1/jobs", "{'name':'work','data':{}}", "traceparent", trace('a')).id();
    String path = "/v1/jobs/" + job + "/stage";
    assertThat(api.post(path, "{'type':'t','data':{}}").string("traceparent"))
        .isEqualTo(trace('a'));
    assertThat(
            api.post(path, "{'type':'t','data':{}}", "traceparent", trace('b'))
                .string("traceparent"))
        .isEqualTo(trace('b'));
    assertThat(
            api.post(path, "{'type':'t','data':{},'traceparent':'" + trace('c') + "'}")
                .string("traceparent"))
        .isEqualTo(trace('c'));
  }

  private static String trace(char digit) {
    return JobnikTestServer.trace(digit).parent();
  }

  @Test
  void stagesAreRefusedOnAnEndedJob() {
    String job = api.job();
    api.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
    assertThat(api.post("/v1/jobs/" + job + "/stage", "{'type':'t','data':{}}").brief())
        .isEqualTo("400 JOB_IN_FINITE_STATE");
  }

  @Test
  void limitsOfAStageAreChecked() {
    String path = "/v1/jobs/" + api.job() + "/stage";
    ApiReply got = api.post(path, "{'type':'t','data':{},'backoff':{'base':'10s','max':'1s'}}");
    assertThat(got.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(got.message()).contains("backoff");
    assertThat(api.post(path, "{'type':'a/b','data':{}}").brief())
        .isEqualTo("400 VALIDATION_ERROR");
    assertThat(api.post(path, "{'type':'t','data':{},'tolerate':0.5}").message())
        .contains("collect");
  }

  @Test
  void unknownStagesAreNotFound() {
    String known = api.stage(api.job(), "t");
    String none =
        known.substring(0, known.length() - 5) + "80000"; // stage 2 of a job with one stage
    for (String id : List.of(none, UUID.randomUUID().toString())) {
      String path = "/v1/stages/" + id;
      assertThat(api.get(path).brief()).isEqualTo("404 STAGE_NOT_FOUND");
      assertThat(api.get(path + "/summary").brief()).isEqualTo("404 STAGE_NOT_FOUND");
      assertThat(api.get(path + "/tasks").brief()).isEqualTo("404 STAGE_NOT_FOUND");
      assertThat(api.get("/v1/tasks?stage_id=" + id).text()).isEqualTo("[]");
      assertThat(api.post(path + "/tasks", "[{'data':{}}]").brief())
          .isEqualTo("404 STAGE_NOT_FOUND");
      assertThat(api.patch(path + "/user-metadata", "{}").brief()).isEqualTo("404 STAGE_NOT_FOUND");
      assertThat(api.put(path + "/status", "{'status':'PENDING'}").brief())
          .isEqualTo("404 STAGE_NOT_FOUND");
    }
    assertThat(api.get("/v1/stages/7").brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void approvalNeedsThePreviousStage() {
    String job = api.job();
    String first = api.stage(job, "a");
    api.tasks(first, 1);
    String second = api.stage(job, "b");
    String gate =
        api.post("/v1/jobs/" + job + "/stage", "{'type':'c','data':{},'startAsWaiting':true}").id();
    for (String early : List.of(second, gate)) {
      ApiReply got = api.put("/v1/stages/" + early + "/status", "{'status':'PENDING'}");
      assertThat(got.brief()).isEqualTo("400 ILLEGAL_STAGE_STATUS_TRANSITION");
      assertThat(got.message()).isEqualTo("Previous stage is not COMPLETED");
    }
    ApiReply same = api.put("/v1/stages/" + first + "/status", "{'status':'PENDING'}");
    assertThat(same.text())
        .isEqualTo(JobnikTestServer.json("{'code':'STAGE_MODIFIED_SUCCESSFULLY'}"));
    JsonObject task = api.dequeue("a").object();
    ApiReply running = api.put("/v1/stages/" + first + "/status", "{'status':'PENDING'}");
    assertThat(running.message())
        .isEqualTo("Illegal status transition from IN_PROGRESS to PENDING");
    api.complete(task);
    api.post("/v1/stages/" + second + "/tasks", "[]");
    assertThat(api.put("/v1/stages/" + gate + "/status", "{'status':'PENDING'}").status())
        .isEqualTo(200);
    assertThat(api.status("/v1/stages/" + gate)).isEqualTo("PENDING");
    api.tasks(gate, 1);
    api.dequeue("c");
    assertThat(api.status("/v1/stages/" + gate)).isEqualTo("IN_PROGRESS");
    assertThat(api.put("/v1/stages/" + gate + "/status", "{'status':'PENDING'}").message())
        .isEqualTo("Illegal status transition from IN_PROGRESS to PENDING");
    assertThat(api.put("/v1/stages/" + gate + "/status", "{'status':'WAITING'}").brief())
        .isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void waitingNextStageStaysWaiting() {
    String job = api.job();
    api.tasks(api.stage(job, "a"), 1);
    String gate =
        api.post("/v1/jobs/" + job + "/stage", "{'type':'b','data':{},'startAsWaiting':true}").id();
    api.complete(api.dequeue("a").object());
    assertThat(api.status("/v1/stages/" + gate)).isEqualTo("WAITING");
    assertThat(api.status("/v1/jobs/" + job)).isEqualTo("IN_PROGRESS");
    assertThat(api.get("/v1/jobs/" + job).object().integer("percentage")).isEqualTo(50);
  }

  @Test
  void summaryAndPercentageCountTasks() {
    String stage = api.stage(api.job(), "t");
    api.tasks(stage, 3);
    api.complete(api.dequeue("t").object());
    api.dequeue("t");
    assertThat(api.get("/v1/stages/" + stage + "/summary").text())
        .isEqualTo(
            JobnikTestServer.json(
                "{'pending':1,'inProgress':1,'completed':1,'failed':0,'created':0,'retried':0,"
                    + "'aborted':0,'total':3}"));
    JsonObject now = api.get("/v1/stages/" + stage).object();
    assertThat(now.integer("percentage")).isEqualTo(33);
    assertThat(now.string("status")).isEqualTo("IN_PROGRESS");
    assertThat(now.string("startTime")).isEqualTo("2026-03-01T08:00:00Z");
  }

  @Test
  void metadataOfAStageIsReplaced() {
    String stage = api.stage(api.job(), "t");
    api.patch("/v1/stages/" + stage + "/user-metadata", "{'a':1}");
    ApiReply got = api.patch("/v1/stages/" + stage + "/user-metadata", "{'b':2}");
    assertThat(got.text())
        .isEqualTo(JobnikTestServer.json("{'code':'STAGE_MODIFIED_SUCCESSFULLY'}"));
    assertThat(api.get("/v1/stages/" + stage).object().object("userMetadata").toString())
        .isEqualTo(JobnikTestServer.json("{'b':2}"));
  }

  @Test
  void listIsFilteredAndPaged() {
    List<String> all = new ArrayList<>();
    String one = api.job();
    String two = api.job();
    for (String job : List.of(one, two)) {
      for (String type : List.of("a", "b", "a")) {
        all.add(api.stage(job, type));
      }
    }
    assertThat(AllPages.ids(api, "/v1/stages")).containsExactlyElementsOf(all);
    for (int limit = 1; limit <= 6; limit++) {
      assertThat(AllPages.ids(api, "/v1/stages?limit=" + limit)).containsExactlyElementsOf(all);
    }
    assertThat(AllPages.ids(api, "/v1/stages?limit=1&stage_type=b"))
        .containsExactly(all.get(1), all.get(4));
    assertThat(AllPages.ids(api, "/v1/stages?stage_operation_status=PENDING"))
        .containsExactly(all.get(0), all.get(3));
    assertThat(AllPages.ids(api, "/v1/stages?limit=2&stage_type=a&job_id=" + two))
        .containsExactly(all.get(3), all.get(5));
    assertThat(AllPages.ids(api, "/v1/jobs/" + two + "/stages?limit=1"))
        .containsExactlyElementsOf(all.subList(3, 6));
    assertThat(api.get("/v1/stages?job_id=" + UUID.randomUUID()).text()).isEqualTo("[]");
    assertThat(api.get("/v1/stages?job_id=7x").brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(api.get("/v1/stages?stage_operation_status=PAUSED").brief())
        .isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void tasksAreIncludedOnRequest() {
    String job = api.job();
    String stage = api.stage(job, "t");
    List<String> tasks = api.tasks(stage, 2);
    for (JsonObject with :
        List.of(
            api.get("/v1/stages/" + stage + "?should_return_tasks=true").object(),
            api.get("/v1/stages?should_return_tasks=true").list().getFirst(),
            api.get("/v1/jobs/" + job + "/stages?should_return_tasks=true").list().getFirst())) {
      assertThat(with.list("tasks"))
          .extracting(task -> JsonObject.of(task, "task").string("id"))
          .isEqualTo(tasks);
    }
    assertThat(api.get("/v1/stages/" + stage).object().has("tasks")).isFalse();
  }
}
