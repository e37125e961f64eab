package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The levers that a job shows are those that it takes, and its log says who pulled them and why. */
class LegalLeversTest {
  private static final Cause USER = Cause.user("anna", null);

  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private JobId submit() {
    StageSpec stage = StageSpec.of("t", List.of(TaskSpec.of("x")));
    return api.store.submit(JobSpec.of(List.of(stage)));
  }

  private Claim claim() {
    return api.store.claim(new ClaimRequest(Set.of("t"), 1, "w", null)).getFirst();
  }

  /** A job in each state that a job can be seen in. */
  private Map<JobState, JobId> jobs() {
    api.store.list(Query.all()).forEach(id -> api.store.abort(id, USER)); // their tasks
    Map<JobState, JobId> jobs = new EnumMap<>(JobState.class);
    jobs.put(JobState.COMPLETED, submit());
    api.store.complete(claim(), TaskResult.of("y"));
    jobs.put(JobState.FAILED, submit());
    api.store.fail(claim(), Failure.permanent("no"));
    jobs.put(JobState.IN_PROGRESS, submit());
    claim();
    jobs.put(JobState.PENDING, submit());
    jobs.put(JobState.PAUSED, submit());
    api.store.pause(jobs.get(JobState.PAUSED), USER);
    jobs.put(JobState.ABORTED, submit());
    api.store.abort(jobs.get(JobState.ABORTED), USER);
    return jobs;
  }

  private List<String> levers(JobId id) {
    JsonObject job = api.get("/v1/jobs/" + id).object();
    return job.list("levers").stream().map(String::valueOf).toList();
  }

  @Test
  void everyStateShowsExactlyTheLeversThatItTakes() {
    Map<JobState, List<String>> shown = new EnumMap<>(JobState.class);
    jobs().forEach((state, id) -> shown.put(state, levers(id)));
    assertThat(shown)
        .containsEntry(JobState.PENDING, List.of("pause", "abort", "prioritize"))
        .containsEntry(JobState.IN_PROGRESS, List.of("pause", "abort", "prioritize"))
        .containsEntry(JobState.PAUSED, List.of("resume", "abort", "prioritize"))
        .containsEntry(JobState.COMPLETED, List.of("retry", "delete"))
        .containsEntry(JobState.FAILED, List.of("retry", "delete"))
        .containsEntry(JobState.ABORTED, List.of("retry", "delete"));

    for (String lever : List.of("pause", "resume", "abort", "retry", "delete", "prioritize")) {
      for (Map.Entry<JobState, JobId> job : jobs().entrySet()) {
        assertThat(pull(job.getValue(), lever))
            .as("%s of a job that is %s", lever, job.getKey())
            .isEqualTo(shown.get(job.getKey()).contains(lever));
      }
    }
  }

  private boolean pull(JobId id, String lever) {
    String job = "/v1/jobs/" + id;
    int status =
        switch (lever) {
          case "pause" -> api.put(job + "/status", "{'status':'PAUSED'}").status();
          case "resume" -> api.put(job + "/status", "{'status':'PENDING'}").status();
          case "abort" -> api.put(job + "/status", "{'status':'ABORTED'}").status();
          case "retry" -> api.post(job + "/retry", "{}").status();
          case "prioritize" -> api.patch(job + "/priority", "{'priority':'VERY_HIGH'}").status();
          default -> api.delete(job).status();
        };
    return status < 300;
  }

  @Test
  void onlyAStageThatWaitsForNothingElseCanBeApproved() {
    JsonObject document =
        Json.object(
            JobnikTestServer.json(
                "{'stages':[{'type':'t','tasks':['x']},{'type':'t','gate':true,'tasks':['y']},"
                    + "{'type':'t','gate':true,'tasks':['z']}]}"));
    String job = api.post("/v1/pipelines", Json.write(document)).id();
    assertThat(stageLevers(job)).isEqualTo(List.of(List.of(), List.of(), List.of()));
    api.store.complete(claim(), TaskResult.of("a"));
    assertThat(stageLevers(job)).isEqualTo(List.of(List.of(), List.of("approve"), List.of()));
    api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED'}");
    assertThat(stageLevers(job)).isEqualTo(List.of(List.of(), List.of(), List.of()));
    api.put("/v1/jobs/" + job + "/status", "{'status':'PENDING'}");
    String stage = EntityId.of(EntityId.of(uuid(job)).orElseThrow().job(), 2).uuid().toString();
    assertThat(
            api.put("/v1/stages/" + stage + "/status", "{'status':'PENDING','comment':'read it'}")
                .status())
        .isEqualTo(200);
    assertThat(stageLevers(job)).isEqualTo(List.of(List.of(), List.of(), List.of()));
    assertThat(entry(job, "approve").string("comment")).isEqualTo("read it");
  }

  private static UUID uuid(String text) {
    return UUID.fromString(text);
  }

  private List<Object> stageLevers(String job) {
    List<Object> levers = new ArrayList<>();
    for (Object stage :
        api.get("/v1/jobs/" + job + "?should_return_stages=true").object().list("stages")) {
      levers.add(JsonObject.of(stage, "stage").list("levers"));
    }
    return levers;
  }

  private JsonObject entry(String job, String event) {
    return api.get("/v1/jobs/" + job + "/log").object().list("entries").stream()
        .map(it -> JsonObject.of(it, "entry"))
        .filter(it -> it.string("event", "").equals(event))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aCommentIsInTheLogAndHasNoSecrets() {
    String job = api.job();
    api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED','comment':'lunch'}");
    JsonObject pause = entry(job, "pause");
    assertThat(pause.string("comment")).isEqualTo("lunch");
    assertThat(pause.string("who")).isEqualTo("local");
    assertThat(pause.string("by")).isEqualTo("user");
    api.put(
        "/v1/jobs/" + job + "/status",
        "{'status':'ABORTED','comment':'password=hunter2000 was in it'}");
    assertThat(entry(job, "abort").string("comment"))
        .contains("[redacted]")
        .doesNotContain("hunter2000");
    assertThat(api.put("/v1/jobs/" + job + "/status", "{'status':'PAUSED','comment':7}").status())
        .isEqualTo(400);
    String again =
        api.post("/v1/jobs/" + job + "/retry", "{'comment':'once more'}")
            .object()
            .object("job")
            .string("id");
    assertThat(api.get("/v1/jobs/" + again + "/log").text())
        .contains("run again by local: once more");
    assertThat(api.get("/v1/jobs/" + again).object().has("submittedBy")).isFalse();
  }

  @Test
  void aLogIsReadByPages() {
    String job = api.job();
    for (int i = 0; i < 5; i++) {
      api.patch("/v1/jobs/" + job + "/user-metadata", "{'i':" + i + "}");
    }
    List<Long> numbers = new ArrayList<>();
    String path = "/v1/jobs/" + job + "/log?limit=2&after=";
    JsonObject page = api.get(path + 0).object();
    numbers(page, numbers);
    while (page.has("next")) {
      page = api.get(path + page.integer("next")).object();
      assertThat(page.integer("lastEvent")).isEqualTo(6);
      numbers(page, numbers);
    }
    assertThat(numbers).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(api.get(path + 6).object().list("entries")).isEmpty();
    assertThat(api.get("/v1/jobs/" + job + "/log?limit=1001").status()).isEqualTo(400);
    assertThat(api.get("/v1/jobs/00000000-0000-4000-8000-000000000000/log").status())
        .isEqualTo(404);
  }

  private static void numbers(JsonObject page, List<Long> numbers) {
    page.list("entries").forEach(it -> numbers.add(JsonObject.of(it, "entry").integer("n")));
  }
}
