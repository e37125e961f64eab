package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.so1.So1TestServer.ApiReply;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs, lists, logs and refusals of the so1 API, over HTTP. */
class So1RoutesTest {
  private static final String HELLO =
      "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"Hello\",\"maxTokens\":5}}";

  private final So1TestServer service = new So1TestServer();

  @AfterEach
  void close() {
    service.close();
  }

  private JsonObject job(JobId id) throws Exception {
    return service.get(So1TestServer.path(id)).job();
  }

  @Test
  void embeddingsAreLists() throws Exception {
    JobId id = service.submit(JobSpec.prompt("embed", "x"));
    service.store.complete(
        service.claim("embed"),
        new TaskResult(TaskResult.Kind.EMBEDDING, "{\"dim\": 2, \"vector\": [0.5, -1.25]}"));
    assertThat(job(id).object("output").toString())
        .isEqualTo("{\"embedding\":[0.5,-1.25],\"dimensions\":2}");
  }

  @Test
  void outputOfSeveralTasksIsAList() throws Exception {
    List<TaskSpec> tasks = IntStream.range(0, 3).mapToObj(TaskSpec::of).toList();
    StageSpec stage =
        StageSpec.builder("resize").tolerance(new FailureTolerance(true, 1.0)).tasks(tasks).build();
    JobId id = service.submit(JobSpec.of(List.of(stage)));
    service.store.complete(service.claim("resize"), TaskResult.of("a"));
    service.store.fail(service.claim("resize"), Failure.permanent("no"));
    service.store.complete(service.claim("resize"), TaskResult.of("c"));
    assertThat(job(id).object("output").toString())
        .isEqualTo(
            "{\"results\":[{\"text\":\"a\"},"
                + "{\"error\":{\"code\":\"TASK_FAILED\",\"message\":\"no\"}},{\"text\":\"c\"}]}");
    assertThat(job(id).object("metadata").string("action")).isEqualTo("resize");
  }

  @Test
  void outputHasAtMostAThousandResults() throws Exception {
    List<TaskSpec> tasks = IntStream.range(0, 1_001).mapToObj(TaskSpec::of).toList();
    JobId id = service.submit(JobSpec.of(List.of(StageSpec.of("resize", tasks))));
    for (int i = 0; i < 1_001; i++) {
      service.store.complete(service.claim("resize"), TaskResult.of("r" + i));
    }
    JsonObject job = job(id);
    assertThat(job.object("output").list("results")).hasSize(1_000);
    assertThat(job.object("output").flag("truncated", false)).isTrue();
    assertThat(job.list("logs")).hasSize(1_000).last().isEqualTo("job complete");
  }

  @Test
  void unknownJobIsNotFound() throws Exception {
    String other = "/api/jobs/00000000-0000-8000-8000-000000000000";
    for (String tail : List.of("", "/logs", "/events")) {
      assertThat(service.get(other + tail).status()).as(tail).isEqualTo(404);
      assertThat(service.get(other + tail).error()).as(tail).startsWith("NOT_FOUND");
      assertThat(service.get("/api/jobs/abc" + tail).error())
          .as(tail)
          .startsWith("VALIDATION_ERROR");
    }
    assertThat(service.post(other + "/cancel", null).status()).isEqualTo(404);
    assertThat(service.get("/api/jobs/" + UUID.randomUUID()).status()).isEqualTo(404);
    assertThat(service.get("/api/workflows").error()).startsWith("NOT_FOUND");
  }

  @Test
  void jobIsFoundByItsWorkspaceId() throws Exception {
    JobId id = service.submit("Hello");
    assertThat(service.get("/api/jobs/" + id).job().string("id"))
        .isEqualTo(EntityId.of(id).toString());
  }

  @Test
  void unknownModelIsRefused() throws Exception {
    ApiReply answer =
        service.post(
            "/api/jobs", "{\"action\":\"embed\",\"inputs\":{\"prompt\":\"x\",\"model\":\"hose\"}}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error())
        .isEqualTo("VALIDATION_ERROR model \"hose\" is not served here; served: house, other");
    assertThat(service.get("/api/jobs").json().list("jobs")).isEmpty();
  }

  @Test
  void logLinesDoNotRunAheadOfTheState() {
    JobId id = service.submit(JobSpec.prompt("generate", "Hello"));
    JobView before = service.store.find(id).orElseThrow();
    service.claim();
    JsonObject job = So1JobMapper.full(service.store, before).toJson();
    assertThat(job.string("state")).isEqualTo("pending");
    assertThat(job.list("logs")).containsExactly("job submitted");
  }

  @Test
  void forbiddenWebhookIsRefused() throws Exception {
    ApiReply answer =
        service.post(
            "/api/jobs",
            """
            {"action":"generate","inputs":{"prompt":"x"},
             "webhooks":[{"url":"http://10.0.0.1/","on":["failed"]}]}
            """);
    assertThat(answer.error()).isEqualTo("VALIDATION_ERROR webhook: 10.0.0.1 is a private address");
  }

  @Test
  void repeatedRequestIsNotCheckedAgain() throws Exception {
    String body =
        HELLO.replaceFirst("\\{", "{\"webhooks\":[{\"url\":\"https://hooks.example.org/\"}],");
    ApiReply first = service.post("/api/jobs", body, "Idempotency-Key", "k");
    assertThat(first.status()).isEqualTo(202);
    service.webhooksRefused = true;
    assertThat(service.post("/api/jobs", body).status()).isEqualTo(400);
    ApiReply again = service.post("/api/jobs", body, "Idempotency-Key", "k");
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.job().string("id")).isEqualTo(first.job().string("id"));
  }

  @Test
  void keyOfADeletedJobIsAConflict() throws Exception {
    String id = service.post("/api/jobs", HELLO, "Idempotency-Key", "k").job().string("id");
    service.post("/api/jobs/" + id + "/cancel", null);
    service.store.delete(service.store.list(Query.all()).getFirst());
    ApiReply again = service.post("/api/jobs", HELLO, "Idempotency-Key", "k");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.error()).startsWith("CONFLICT").contains("deleted").contains("new key");
  }

  @Test
  void longLineIsCutBetweenCharacters() throws Exception {
    JobId id = service.submit(JobSpec.prompt("generate", "Hello"));
    Claim claim = service.claim();
    for (int i = 0; i < 2; i++) {
      service.store.log(claim, "info", "x".repeat(i) + "😀".repeat(1_500));
    }
    List<?> lines = job(id).list("logs");
    for (Object line : lines.subList(lines.size() - 2, lines.size())) {
      String text = (String) line;
      assertThat(text).endsWith("😀…").hasSizeBetween(2_000, 2_001);
    }
  }

  @Test
  void unreadableJobIsLeftOutOfTheList(@TempDir Path dir) throws Exception {
    try (So1TestServer onDisk = new So1TestServer(Workspace.open(dir).own().orElseThrow())) {
      JobId good = onDisk.submit("one");
      JobId bad = onDisk.submit("two");
      onDisk.store.abort(bad, Cause.user("me", null));
      Path log = dir.resolve("cancelled/" + bad + "/events.jsonl");
      Files.delete(log);
      Files.createDirectory(log);
      for (String query : List.of("", "?limit=1", "?limit=2")) {
        ApiReply list = onDisk.get("/api/jobs" + query);
        assertThat(list.status()).as(query).isEqualTo(200);
        assertThat(list.json().list("jobs").stream().map(So1RoutesTest::id))
            .as(query)
            .containsExactly(EntityId.of(good).toString());
      }
      assertThat(onDisk.get(So1TestServer.path(bad)).status()).isEqualTo(500);
    }
  }

  @Test
  void sameKeyCreatesOneJobConcurrently() throws Exception {
    String key = UUID.randomUUID().toString();
    Callable<ApiReply> submit = () -> service.post("/api/jobs", HELLO, "Idempotency-Key", key);
    try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
      Set<String> ids = new HashSet<>();
      for (Future<ApiReply> answer : many.invokeAll(Collections.nCopies(20, submit))) {
        assertThat(answer.get().status()).isEqualTo(202);
        ids.add(answer.get().job().string("id"));
      }
      assertThat(ids).hasSize(1);
    }
  }

  @Test
  void jobsAreListedNewestFirst() throws Exception {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      made.addFirst(EntityId.of(service.submit("p" + i)).toString());
    }
    List<String> seen = new ArrayList<>();
    String cursor = "";
    for (int page = 0; page < 3; page++) {
      ApiReply answer = service.get("/api/jobs?limit=10" + cursor);
      answer.json().list("jobs").forEach(job -> seen.add(id(job)));
      boolean last = page == 2;
      assertThat(answer.json().has("nextCursor")).as("page %d", page).isEqualTo(!last);
      cursor = "&cursor=" + answer.json().string("nextCursor", "");
      assertThat(answer.response().headers().firstValue("Link").isPresent()).isEqualTo(!last);
    }
    assertThat(seen).isEqualTo(made);
    assertThat(service.get("/api/jobs?cursor=nonsense").error()).startsWith("VALIDATION_ERROR");
    assertThat(service.get("/api/jobs?limit=0").error()).startsWith("VALIDATION_ERROR");
    assertThat(service.get("/api/jobs?state=happy").error()).startsWith("VALIDATION_ERROR");
    assertThat(service.get("/api/jobs?stat=failed").error()).contains("stat");
  }

  private static String id(Object job) {
    return JsonObject.of(job, "job").string("id");
  }

  @Test
  void listIsFilteredByStateAndTag() throws Exception {
    JobId paused = service.submit("paused");
    service.store.pause(paused, Cause.user("me", null));
    JobId ran = service.submit("ran");
    service.claim();
    service.store.pause(ran, Cause.user("me", null));
    service.post(
        "/api/jobs", "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\"},\"tags\":[\"t\"]}");
    assertThat(listed("?state=pending")).hasSize(2).contains(EntityId.of(paused).toString());
    assertThat(listed("?state=running")).containsExactly(EntityId.of(ran).toString());
    assertThat(listed("?state=success")).isEmpty();
    assertThat(listed("?tag=t")).hasSize(1);
    assertThat(listed("?tag=t&state=running")).isEmpty();
    assertThat(listed("?state=pending&limit=1")).hasSize(1);
  }

  private List<String> listed(String query) throws Exception {
    return service.get("/api/jobs" + query).json().list("jobs").stream()
        .map(So1RoutesTest::id)
        .toList();
  }

  @Test
  void logIsReadByPages() throws Exception {
    JobId id = service.submit("Hello");
    Claim claim = service.claim();
    service.store.log(claim, "WARN", "slow");
    service.store.complete(claim, TaskResult.of("x"));
    long last = service.store.find(id).orElseThrow().lastEvent();
    List<Long> cursors = new ArrayList<>();
    String cursor = "";
    while (cursor != null) {
      JsonObject page = service.get(So1TestServer.path(id) + "/logs?limit=2" + cursor).json();
      for (Object line : page.list("lines")) {
        JsonObject one = JsonObject.of(line, "line");
        assertThat(one.values()).containsOnlyKeys("cursor", "at", "level", "line");
        cursors.add(one.integer("cursor"));
        if (one.string("line").contains("slow")) {
          assertThat(one.string("level")).isEqualTo("warn");
        }
      }
      cursor = page.has("nextCursor") ? "&cursor=" + page.integer("nextCursor") : null;
    }
    assertThat(cursors).hasSize((int) last).isSorted().doesNotHaveDuplicates();
    assertThat(service.get(So1TestServer.path(id) + "/logs?cursor=x").error())
        .startsWith("VALIDATION_ERROR");
    assertThat(service.get(So1TestServer.path(id) + "/logs?cursor=999").json().list("lines"))
        .isEmpty();
  }

  @Test
  void jobOfAnotherApiHasDefaultMetadata() throws Exception {
    JsonObject forged = JsonObject.create().put("so1", "nonsense");
    JobSpec plain = JobSpec.prompt("generate", "x");
    JobSpec odd =
        JobSpec.builder()
            .priority(plain.priority())
            .metadata(forged)
            .stages(plain.stages())
            .build();
    for (JobId id : List.of(service.submit(plain), service.submit(odd))) {
      JsonObject metadata = job(id).object("metadata");
      assertThat(metadata.string("action")).isEqualTo("generate");
      assertThat(metadata.object("inputs").values()).isEmpty();
      assertThat(UUID.fromString(metadata.string("requestId"))).isNotNull();
    }
  }

  @Test
  void pipelineRunsItsStages() throws Exception {
    ApiReply made =
        service.post(
            "/api/jobs",
            """
            {"action":"pipeline","inputs":{"stages":[
              {"type":"generate","tasks":["One."]},{"type":"resize","each":"{{result}}!"}]}}
            """);
    assertThat(made.status()).isEqualTo(202);
    service.store.complete(service.claim(), TaskResult.of("1"));
    Claim second = service.claim("resize");
    assertThat(second.input()).isEqualTo("1!");
    service.store.complete(second, TaskResult.of("2"));
    JsonObject job = service.get("/api/jobs/" + made.job().string("id")).job();
    assertThat(job.object("output").toString()).isEqualTo("{\"text\":\"2\"}");
  }
}
