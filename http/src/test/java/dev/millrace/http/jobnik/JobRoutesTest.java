package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The routes for jobs. */
class JobRoutesTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void createdJobIsPendingWithDefaults() {
    ApiReply made = api.post("/v1/jobs", "{'name':'thumbs','data':{'width':640}}");
    assertThat(made.status()).isEqualTo(201);
    JsonObject job = made.object();
    assertThat(job.toString())
        .isEqualTo(
            JobnikTestServer.json(
                "{'id':'"
                    + made.id()
                    + "','name':'thumbs','data':{'width':640},'userMetadata':{},"
                    + "'priority':'MEDIUM','status':'PENDING','percentage':0,"
                    + "'creationTime':'2026-03-01T08:00:00Z','updateTime':'2026-03-01T08:00:00Z',"
                    + "'sealed':false,'traceparent':'"
                    + job.string("traceparent")
                    + "','ownId':'00001772352000000000_7_000000',"
                    + "'levers':['pause','abort','prioritize']}"));
    assertThat(api.get("/v1/jobs/" + made.id()).object()).isEqualTo(job);
  }

  @Test
  void jobWithoutATraceStartsOne() {
    String zeros = "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00";
    String body = "{'name':'work','data':{}";
    List<String> traces =
        List.of(
            api.post("/v1/jobs", body + "}").string("traceparent"),
            api.post("/v1/jobs", body + "}").string("traceparent"),
            api.post("/v1/jobs", body + ",'traceparent':'" + zeros + "','tracestate':'a=b'}")
                .string("traceparent"),
            api.post("/v1/pipelines", "{'stages':[{'type':'t','tasks':['x']}]}")
                .string("traceparent"));
    assertThat(traces).doesNotHaveDuplicates().allMatch(JobRoutesTest::isSampledTrace);
    JobId fromElsewhere = api.store.submit(JobSpec.prompt("t", "x"));
    String path = "/v1/jobs/" + EntityId.of(fromElsewhere).uuid();
    String derived = api.get(path).string("traceparent");
    assertThat(derived).matches(JobRoutesTest::isSampledTrace);
    assertThat(api.get(path).string("traceparent")).isEqualTo(derived);
    assertThat(api.get(path + "/stages").list().getFirst().string("traceparent"))
        .isEqualTo(derived);
  }

  private static boolean isSampledTrace(String parent) {
    return parent.startsWith("00-")
        && parent.endsWith("-01")
        && new TraceContext(parent, null).isStarted();
  }

  @Test
  void allFieldsOfAJobAreStored() {
    String trace = JobnikTestServer.trace('a').parent();
    JsonObject job =
        api.post(
                "/v1/jobs",
                "{'name':'full','data':{'a':[1]},'userMetadata':{'who':'me'},'priority':'HIGH',"
                    + "'tags':['x'],'hold':true,'traceparent':'"
                    + trace
                    + "','tracestate':'v=1','webhooks':[{'url':'http://127.0.0.1/'}]}")
            .object();
    assertThat(job.string("status")).isEqualTo("PAUSED");
    assertThat(job.string("priority")).isEqualTo("HIGH");
    assertThat(job.object("userMetadata").string("who")).isEqualTo("me");
    assertThat(job.list("tags")).isEqualTo(List.of("x"));
    assertThat(job.string("traceparent")).isEqualTo(trace);
    assertThat(job.string("tracestate")).isEqualTo("v=1");
  }

  @Test
  void jobWithoutATraceGetsThatOfTheRequest() {
    String own = JobnikTestServer.trace('b').parent();
    String body = "{'name':'work','data':{}";
    String header = JobnikTestServer.trace('c').parent();
    assertThat(api.post("/v1/jobs", body + "}", "traceparent", header).string("traceparent"))
        .isEqualTo(header);
    assertThat(
            api.post("/v1/jobs", body + ",'traceparent':'" + own + "'}", "traceparent", header)
                .string("traceparent"))
        .isEqualTo(own);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'data':{}}                             | name
          {'name':'work'}                         | data
          {'name':'w','data':{}}                  | name
          {'name':'work','data':{},'colour':1}    | colour
          {'name':'work','data':{},'priority':'URGENT'} | priority
          {'name':'work','data':3}                | data
          {'name':'work','data':{},'tags':['a b']}| tags
          ['name']                                | body
          {'name':                                | line 1
          """)
  void invalidFieldsOfAJobAreNamed(String body, String named) {
    ApiReply got = api.post("/v1/jobs", body);
    assertThat(got.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(got.message()).contains(named);
    assertThat(api.store.list(Query.all())).isEmpty();
  }

  @Test
  void unknownJobsAreNotFound() {
    JobId none = new JobId("00001700000000000000_1_000001");
    String own = EntityId.of(none).toString();
    for (String id : List.of(own, UUID.randomUUID().toString(), none.value())) {
      assertThat(api.get("/v1/jobs/" + id).brief()).isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.delete("/v1/jobs/" + id).brief()).isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.patch("/v1/jobs/" + id + "/user-metadata", "{}").brief())
          .isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.patch("/v1/jobs/" + id + "/priority", "{'priority':'LOW'}").brief())
          .isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.put("/v1/jobs/" + id + "/status", "{'status':'PAUSED'}").brief())
          .isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.get("/v1/jobs/" + id + "/stages").brief()).isEqualTo("404 JOB_NOT_FOUND");
      assertThat(api.post("/v1/jobs/" + id + "/stage", "{'type':'t','data':{}}").brief())
          .isEqualTo("404 JOB_NOT_FOUND");
    }
    assertThat(api.get("/v1/jobs/nonsense").brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void jobIsFoundByItsWorkspaceId() {
    String id = api.job();
    String raw = api.store.list(Query.all()).getFirst().value();
    assertThat(api.get("/v1/jobs/" + raw).id()).isEqualTo(id);
  }

  @Test
  void userMetadataIsReplacedNotMerged() {
    String id = api.job("{'name':'work','data':{},'userMetadata':{'a':1}}");
    ApiReply got = api.patch("/v1/jobs/" + id + "/user-metadata", "{'b':{'c':null}}");
    assertThat(got.text()).isEqualTo(JobnikTestServer.json("{'code':'JOB_MODIFIED_SUCCESSFULLY'}"));
    assertThat(api.get("/v1/jobs/" + id).object().object("userMetadata").toString())
        .isEqualTo(JobnikTestServer.json("{'b':{'c':null}}"));
  }

  @Test
  void samePriorityIsNoContentWithAReason() {
    String id = api.job();
    String path = "/v1/jobs/" + id + "/priority";
    assertThat(api.patch(path, "{'priority':'HIGH'}").text())
        .isEqualTo(JobnikTestServer.json("{'code':'JOB_MODIFIED_SUCCESSFULLY'}"));
    ApiReply same = api.patch(path, "{'priority':'HIGH'}");
    assertThat(same.status()).isEqualTo(204);
    assertThat(same.header("Reason")).isEqualTo("PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE");
    assertThat(same.text()).isEmpty();
    assertThat(api.get("/v1/jobs/" + id).string("priority")).isEqualTo("HIGH");
    api.patch(path, "{'priority':'VERY_LOW','comment':'tomorrow will do'}");
    assertThat(api.get("/v1/jobs/" + id + "/log").text()).contains("tomorrow will do");
    api.put("/v1/jobs/" + id + "/status", "{'status':'ABORTED'}");
    assertThat(api.patch(path, "{'priority':'LOW'}").brief()).isEqualTo("400 JOB_IN_FINITE_STATE");
  }

  @Test
  void theStatusThatItHasIsRefused() {
    String id = api.job();
    api.tasks(api.stage(id, "t"), 1);
    api.dequeue("t");
    String path = "/v1/jobs/" + id + "/status";
    assertThat(api.put(path, "{'status':'PENDING'}").message())
        .isEqualTo("Illegal status transition from IN_PROGRESS to PENDING");
    for (String[] move :
        new String[][] {{"PAUSED", "PAUSED"}, {"PENDING", "IN_PROGRESS"}, {"ABORTED", "ABORTED"}}) {
      String body = "{'status':'" + move[0] + "'}";
      assertThat(api.put(path, body).text())
          .isEqualTo(JobnikTestServer.json("{'code':'JOB_MODIFIED_SUCCESSFULLY'}"));
      ApiReply again = api.put(path, body);
      assertThat(again.brief()).isEqualTo("400 ILLEGAL_JOB_STATUS_TRANSITION");
      assertThat(again.message())
          .isEqualTo("Illegal status transition from " + move[1] + " to " + move[0]);
    }
  }

  @Test
  void statusChangesFollowTheTransitionTable() {
    String id = api.job();
    String path = "/v1/jobs/" + id + "/status";
    assertThat(api.put(path, "{'status':'PAUSED'}").text())
        .isEqualTo(JobnikTestServer.json("{'code':'JOB_MODIFIED_SUCCESSFULLY'}"));
    assertThat(api.status("/v1/jobs/" + id)).isEqualTo("PAUSED");
    assertThat(api.put(path, "{'status':'PENDING'}").status()).isEqualTo(200);
    assertThat(api.status("/v1/jobs/" + id)).isEqualTo("PENDING");
    assertThat(api.put(path, "{'status':'ABORTED'}").status()).isEqualTo(200);
    ApiReply late = api.put(path, "{'status':'PAUSED'}");
    assertThat(late.brief()).isEqualTo("400 ILLEGAL_JOB_STATUS_TRANSITION");
    assertThat(late.message()).isEqualTo("Illegal status transition from ABORTED to PAUSED");
    assertThat(api.put(path, "{'status':'COMPLETED'}").brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void onlyEndedJobsAreDeleted() {
    String id = api.job();
    String stage = api.stage(id, "t");
    assertThat(api.delete("/v1/jobs/" + id).brief()).isEqualTo("400 JOB_NOT_IN_FINITE_STATE");
    api.put("/v1/jobs/" + id + "/status", "{'status':'ABORTED'}");
    assertThat(api.delete("/v1/jobs/" + id).text())
        .isEqualTo(JobnikTestServer.json("{'code':'JOB_DELETED_SUCCESSFULLY'}"));
    assertThat(api.get("/v1/jobs/" + id).brief()).isEqualTo("404 JOB_NOT_FOUND");
    assertThat(api.get("/v1/stages/" + stage).brief()).isEqualTo("404 STAGE_NOT_FOUND");
    assertThat(api.delete("/v1/jobs/" + id).brief()).isEqualTo("404 JOB_NOT_FOUND");
  }

  @Test
  void listIsFilteredByNamePriorityAndCreation() {
    String first = api.job("{'name':'one','data':{}}");
    api.clock.advance(Duration.ofHours(1));
    String second = api.job("{'name':'two','data':{},'priority':'HIGH'}");
    api.clock.advance(Duration.ofDays(5));
    String third = api.job("{'name':'one','data':{},'priority':'HIGH'}");
    assertThat(ids("")).containsExactly(first, second, third);
    assertThat(ids("?job_name=one")).containsExactly(first, third);
    assertThat(ids("?priority=HIGH")).containsExactly(second, third);
    assertThat(ids("?priority=HIGH&job_name=one")).containsExactly(third);
    assertThat(ids("?from_date=2026-03-01T09:00:00Z")).containsExactly(second, third);
    assertThat(ids("?end_date=2026-03-01T08:00:00Z")).containsExactly(first);
    assertThat(ids("?from_date=2026-03-01T10:30:00%2B02:00&end_date=2026-03-02T00:00:00Z"))
        .containsExactly(second);
    assertThat(ids("?job_name=three")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?priority=URGENT",
        "?from_date=yesterday",
        "?limit=0",
        "?limit=1001",
        "?cursor=nonsense",
        "?colour=red",
        "?should_return_stages=maybe"
      })
  void invalidParametersAreNamed(String query) {
    ApiReply got = api.get("/v1/jobs" + query);
    assertThat(got.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(got.message()).contains(query.substring(1, query.indexOf('=')));
  }

  @Test
  void pagesListEveryJobOnce() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      made.add(api.job("{'name':'job" + i % 2 + "','data':{}}"));
    }
    assertThat(paged("/v1/jobs?limit=3")).containsExactlyElementsOf(made);
    assertThat(paged("/v1/jobs?limit=7")).containsExactlyElementsOf(made);
    assertThat(paged("/v1/jobs?limit=2&job_name=job1"))
        .containsExactly(made.get(1), made.get(3), made.get(5));
    assertThat(api.get("/v1/jobs?limit=7").header("X-Next-Cursor")).isNull();
    ApiReply page = api.get("/v1/jobs?limit=3&job_name=job0");
    assertThat(page.header("Link"))
        .isEqualTo(
            "</v1/jobs?limit=3&job_name=job0&cursor="
                + page.header("X-Next-Cursor")
                + ">; rel=\"next\"");
  }

  @Test
  void stagesAreIncludedOnRequest() {
    String id = api.job();
    String stage = api.stage(id, "t");
    assertThat(api.get("/v1/jobs/" + id).object().has("stages")).isFalse();
    JsonObject with = api.get("/v1/jobs/" + id + "?should_return_stages=true").object();
    assertThat(JsonObject.of(with.list("stages").getFirst(), "stage").string("id"))
        .isEqualTo(stage);
    assertThat(api.get("/v1/jobs?should_return_stages=true").list().getFirst()).isEqualTo(with);
  }

  @Test
  void pipelineCreatesAWholeJob() {
    JsonObject job =
        api.post(
                "/v1/pipelines",
                "{'stages':[{'type':'draft','tasks':['a',{'input':{'n':1},'maxAttempts':4}]},"
                    + "{'type':'review','gate':true,'each':'check {{result}}'}]}",
                "traceparent",
                JobnikTestServer.trace('d').parent())
            .object();
    assertThat(job.flag("sealed", false)).isTrue();
    assertThat(job.string("name")).isEqualTo("draft");
    assertThat(job.string("traceparent")).isEqualTo(JobnikTestServer.trace('d').parent());
    JsonObject draft = JsonObject.of(job.list("stages").getFirst(), "stage");
    assertThat(draft.string("traceparent")).isEqualTo(JobnikTestServer.trace('d').parent());
    assertThat(draft.object("summary").integer("pending")).isEqualTo(2);
    List<JsonObject> tasks = api.get("/v1/stages/" + draft.string("id") + "/tasks").list();
    assertThat(tasks.getFirst().object("data").toString())
        .isEqualTo(JobnikTestServer.json("{'input':'a'}"));
    assertThat(tasks.getLast().object("data").toString())
        .isEqualTo(JobnikTestServer.json("{'n':1}"));
    assertThat(tasks.getLast().integer("maxAttempts")).isEqualTo(4);
    ApiReply grown =
        api.post("/v1/jobs/" + job.string("id") + "/stage", "{'type':'more','data':{}}");
    assertThat(grown.brief()).isEqualTo("400 JOB_SEALED");
    assertThat(api.post("/v1/stages/" + draft.string("id") + "/tasks", "[{'data':{}}]").brief())
        .isEqualTo("400 JOB_SEALED");
  }

  @Test
  void errorOfAPipelineNamesTheRule() {
    ApiReply got = api.post("/v1/pipelines", "{'stages':[{'type':'a','each':'{{result}}'}]}");
    assertThat(got.brief()).isEqualTo("400 VALIDATION_ERROR");
    assertThat(got.message()).contains("the first stage has no earlier results for a template");
  }

  @Test
  void repeatedKeyCreatesOneJob() {
    String body = "{'name':'work','data':{}}";
    String id = api.post("/v1/jobs", body, "Idempotency-Key", "k").id();
    assertThat(api.post("/v1/jobs", body, "Idempotency-Key", "k").id()).isEqualTo(id);
    ApiReply other = api.post("/v1/jobs", "{'name':'other','data':{}}", "Idempotency-Key", "k");
    assertThat(other.brief()).isEqualTo("409 CONFLICT");
    assertThat(api.store.list(Query.all())).hasSize(1);
  }

  private List<String> ids(String query) {
    return api.get("/v1/jobs" + query).list().stream().map(job -> job.string("id")).toList();
  }

  private List<String> paged(String path) {
    return AllPages.ids(api, path);
  }

  @Test
  void bodiesMustBeJson() {
    ApiReply got = api.get("/v1/jobs");
    assertThat(Json.parse(got.text())).isEqualTo(List.of());
    assertThat(got.header("Content-Type")).startsWith("application/json");
  }
}
