package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The routes for tasks. */
class TaskRoutesTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void addedTasksArePendingInTheirOrder() {
    String stage = api.stage(api.job(), "t");
    ApiReply made =
        api.post(
            "/v1/stages/" + stage + "/tasks",
            "[{'data':{'n':1}},{'data':{'n':2},'userMetadata':{'row':2},'maxAttempts':3}]");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.list().getFirst().toString())
        .isEqualTo(
            JobnikTestServer.json(
                "{'id':'"
                    + made.list().getFirst().string("id")
                    + "','stageId':'"
                    + stage
                    + "','data':{'n':1},'userMetadata':{},'status':'PENDING','attempts':0,"
                    + "'maxAttempts':1,'creationTime':'2026-03-01T08:00:00Z',"
                    + "'updateTime':'2026-03-01T08:00:00Z','traceparent':'"
                    + api.get("/v1/stages/" + stage).string("traceparent")
                    + "'}"));
    JsonObject second = made.list().getLast();
    assertThat(second.integer("maxAttempts")).isEqualTo(3);
    assertThat(second.object("userMetadata").integer("row")).isEqualTo(2);
    assertThat(api.get("/v1/tasks/" + second.string("id")).object()).isEqualTo(second);
    assertThat(api.get("/v1/stages/" + stage + "/tasks").list()).isEqualTo(made.list());
  }

  @Test
  void tasksAreRefusedOnRunningAndEndedStages() {
    String job = api.job();
    String stage = api.stage(job, "t");
    api.tasks(stage, 1);
    api.tasks(stage, 1); // a pending stage accepts more tasks
    String path = "/v1/stages/" + stage + "/tasks";
    api.dequeue("t");
    assertThat(api.post(path, "[{'data':{}}]").brief())
        .isEqualTo("400 NOT_ALLOWED_TO_ADD_TASKS_TO_IN_PROGRESS_STAGE");
    api.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
    assertThat(api.post(path, "[{'data':{}}]").brief()).isEqualTo("400 STAGE_IN_FINITE_STATE");
  }

  @Test
  void invalidTaskIsNamedAndNoneIsAdded() {
    String stage = api.stage(api.job(), "t");
    String path = "/v1/stages/" + stage + "/tasks";
    assertThat(api.post(path, "[{'data':{}},{}]").message()).contains("data");
    assertThat(api.post(path, "[{'data':{},'colour':1}]").message()).contains("colour");
    assertThat(api.post(path, "[{'data':{},'maxAttempts':0}]").message()).contains("maxAttempts");
    assertThat(api.post(path, "{'data':{}}").brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(api.get(path).list()).isEmpty();
  }

  @Test
  void traceOfATaskComesFromItselfOrItsRequestOrItsStage() {
    String stage =
        api.post(
                "/v1/jobs/" + api.job() + "/stage",
                "{'type':'t','data':{}}",
                "traceparent",
                JobnikTestServer.trace('a').parent())
            .id();
    String path = "/v1/stages/" + stage + "/tasks";
    String own = JobnikTestServer.trace('c').parent();
    List<JsonObject> made =
        new ArrayList<>(
            api.post(
                    path,
                    "[{'data':{}},{'data':{},'traceparent':'" + own + "','tracestate':'x=1'}]",
                    "traceparent",
                    JobnikTestServer.trace('b').parent())
                .list());
    made.addAll(api.post(path, "[{'data':{}}]").list());
    assertThat(made)
        .extracting(task -> task.string("traceparent"))
        .containsExactly(
            JobnikTestServer.trace('b').parent(), own, JobnikTestServer.trace('a').parent());
    assertThat(made.get(1).string("tracestate")).isEqualTo("x=1");
    assertThat(api.dequeue("t").string("traceparent"))
        .isEqualTo(JobnikTestServer.trace('b').parent());
  }

  @Test
  void metadataOfATaskIsReplaced() {
    String task = api.tasks(api.stage(api.job(), "t"), 1, ",'userMetadata':{'a':1}").getFirst();
    ApiReply got = api.patch("/v1/tasks/" + task + "/user-metadata", "{'b':2}");
    assertThat(got.text())
        .isEqualTo(JobnikTestServer.json("{'code':'TASK_MODIFIED_SUCCESSFULLY'}"));
    assertThat(api.get("/v1/tasks/" + task).object().object("userMetadata").toString())
        .isEqualTo(JobnikTestServer.json("{'b':2}"));
  }

  @Test
  void unknownTasksAreNotFound() {
    String task = api.tasks(api.stage(api.job(), "t"), 1).getFirst();
    String none = task.substring(0, task.length() - 1) + "2"; // task 2 of a stage with one task
    for (String id : List.of(none, UUID.randomUUID().toString())) {
      String path = "/v1/tasks/" + id;
      assertThat(api.get(path).brief()).isEqualTo("404 TASK_NOT_FOUND");
      assertThat(api.patch(path + "/user-metadata", "{}").brief()).isEqualTo("404 TASK_NOT_FOUND");
      assertThat(api.put(path + "/status", "{'status':'COMPLETED'}").brief())
          .isEqualTo("404 TASK_NOT_FOUND");
      assertThat(api.put(path + "/heartbeat", "{}").brief()).isEqualTo("404 TASK_NOT_FOUND");
      assertThat(api.put(path + "/release", "{}").brief()).isEqualTo("404 TASK_NOT_FOUND");
      assertThat(api.post(path + "/logs", "{'lines':[{'line':'x'}]}").brief())
          .isEqualTo("404 TASK_NOT_FOUND");
    }
    assertThat(api.get("/v1/tasks/" + task.substring(1)).brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void listIsFilteredAndPaged() {
    List<String> all = new ArrayList<>();
    for (int job = 0; job < 3; job++) {
      String id = api.job();
      all.addAll(api.tasks(api.stage(id, "a"), 2));
      all.addAll(api.tasks(api.stage(id, "b"), 3));
      api.clock.advance(Duration.ofHours(1));
    }
    api.dequeue("a");
    assertThat(AllPages.ids(api, "/v1/tasks")).containsExactlyElementsOf(all);
    for (int limit = 1; limit <= all.size(); limit++) {
      assertThat(AllPages.ids(api, "/v1/tasks?limit=" + limit)).containsExactlyElementsOf(all);
    }
    assertThat(AllPages.ids(api, "/v1/tasks?status=IN_PROGRESS")).containsExactly(all.getFirst());
    assertThat(AllPages.ids(api, "/v1/tasks?limit=2&stage_type=a"))
        .containsExactly(all.get(0), all.get(1), all.get(5), all.get(6), all.get(10), all.get(11));
    assertThat(
            AllPages.ids(
                api,
                "/v1/tasks?limit=2&from_date=2026-03-01T09:00:00Z&end_date=2026-03-01T09:30:00Z"))
        .containsExactlyElementsOf(all.subList(5, 10));
    String stage = api.get("/v1/tasks/" + all.get(7)).string("stageId");
    assertThat(AllPages.ids(api, "/v1/tasks?limit=2&stage_id=" + stage))
        .containsExactlyElementsOf(all.subList(7, 10));
    assertThat(AllPages.ids(api, "/v1/stages/" + stage + "/tasks?limit=1"))
        .containsExactlyElementsOf(all.subList(7, 10));
    assertThat(api.get("/v1/tasks?status=WAITING").brief()).isEqualTo("400 VALIDATION_ERROR");
  }
}
