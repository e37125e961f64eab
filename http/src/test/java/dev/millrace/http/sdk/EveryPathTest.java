package dev.millrace.http.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.api.ClaimedTask;
import dev.millrace.api.LogLine;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewLogLine;
import dev.millrace.api.NewSo1Job;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.api.PrunableJob;
import dev.millrace.api.PruneRequest;
import dev.millrace.api.So1Job;
import dev.millrace.api.So1State;
import dev.millrace.api.SseEvent;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.api.jobs.BulkAction;
import dev.millrace.api.jobs.BulkResult;
import dev.millrace.api.jobs.CheckedPipeline;
import dev.millrace.api.jobs.FoundJob;
import dev.millrace.api.jobs.JobLogPage;
import dev.millrace.api.jobs.JobSearchResult;
import dev.millrace.api.live.LiveState;
import dev.millrace.api.live.TaskOutput;
import dev.millrace.api.live.TaskOutputEnd;
import dev.millrace.api.live.WaitingJob;
import dev.millrace.api.server.TaskVerdict;
import dev.millrace.client.JobEventStream;
import dev.millrace.client.JobFilter;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.SearchFilter;
import dev.millrace.client.ServerEventStream;
import dev.millrace.client.StageFilter;
import dev.millrace.client.StagesApi;
import dev.millrace.client.TaskFilter;
import dev.millrace.client.error.ApiException;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls every path of the server with the client. */
class EveryPathTest {
  private static final JsonObject MARK = JsonObject.create().put("owner", "ada");
  private static final TraceContext TRACE =
      new TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b");

  private final SdkTestServer server = new SdkTestServer();
  private final MillraceClient client = server.client;

  @AfterEach
  void close() {
    server.close();
  }

  private static StagesApi.DequeueRequest dequeueRequest(int limit) {
    return new StagesApi.DequeueRequest(
        "resize", "w-1", Duration.ofSeconds(60), limit, Duration.ZERO);
  }

  private ApiStage stage(ApiJob job) {
    return client.jobs().addStage(job.id(), NewStage.of("resize"));
  }

  private static List<NewTask> tasks(int count) {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      tasks.add(NewTask.of(JsonObject.create().put("n", i)));
    }
    return tasks;
  }

  @Test
  void clientReachesEveryPath() throws InterruptedException {
    oldJobsAreListedAndDeleted();
    jobsCanBeChangedPausedAndAborted(); // first those that leave no tasks behind
    workersReportTheirTasks();
    so1JobsCanBeFollowedAndCancelled();
    pipelinesAreSubmittedAsAWhole();
    jobsGrowStageByStage();
    aRetryAdoptsWhatWasCompleted();
    theServerIsWatched();
    manyJobsAreFoundAndChanged();
    healthAndDocumentsAreServed();
    finishedTasksAreVerified();
    // A request is logged after its response was sent: wait for the last one.
    assertThat(server.service.drain(Duration.ofSeconds(30))).isTrue();

    List<String> answered =
        server.accesses().stream()
            .filter(line -> line.integer("status") < 400 || isLeftStream(line))
            .map(line -> line.string("method") + " " + line.string("path").split("\\?", 2)[0])
            .toList();
    for (RouteGroup group : server.routeGroups) {
      for (Route route : group.routes()) {
        if (route.path().equals("/docs/api.json")) {
          continue; // the same as /openapi.json, for clients of Jobnik
        }
        if (route.path().equals("/page/{file*}")) {
          continue; // for browsers
        }
        String pattern = route.method() + " " + route.path().replaceAll("\\{\\w+}", "[^/]+");
        assertThat(answered).as(pattern).anyMatch(one -> one.matches(pattern));
      }
    }
  }

  /** Whether its client has left a stream that has no end. */
  private static boolean isLeftStream(JsonObject line) {
    return line.integer("status") == 499 && line.string("path").equals("/v1/live");
  }

  @Test
  void jobsGrowStageByStage() {
    ApiJob job =
        client
            .jobs()
            .create(
                NewJob.of("photos")
                    .data(JsonObject.create().put("album", 7))
                    .userMetadata(MARK)
                    .priority(Priority.HIGH)
                    .tags("red", "blue")
                    .trace(TRACE));
    assertThat(job.status()).isEqualTo(JobState.PENDING);
    assertThat(job.sealed()).isFalse();
    assertThat(job.trace()).isEqualTo(TRACE);
    assertThat(client.jobs().get(job.id())).isEqualTo(job);

    TaskPolicy policy =
        new TaskPolicy(
            4,
            new Backoff(Duration.ofSeconds(2), 3, Duration.ofSeconds(60), 0.5),
            Duration.ofHours(1),
            Duration.ofMinutes(5),
            2);
    ApiStage first =
        client
            .jobs()
            .addStage(
                job.id(),
                NewStage.of("resize").policy(policy).tolerance(new FailureTolerance(true, 0.5)));
    ApiStage second =
        client
            .jobs()
            .addStage(
                job.id(),
                NewStage.of("report").data(MARK).userMetadata(MARK).trace(TRACE).waiting());
    assertThat(first.order()).isEqualTo(1);
    assertThat(second.status()).isEqualTo(StageState.WAITING);
    assertThat(second.data()).isEqualTo(MARK);

    List<ApiTask> made = client.stages().addTasks(first.id(), tasks(3));
    assertThat(made).hasSize(3).allSatisfy(task -> assertThat(task.maxAttempts()).isEqualTo(4));
    assertThat(
            client
                .stages()
                .addTasks(
                    first.id(),
                    List.of(NewTask.of(MARK).maxAttempts(2).userMetadata(MARK).trace(TRACE)))
                .getFirst()
                .maxAttempts())
        .isEqualTo(2);
    assertThat(client.stages().summary(first.id()).total()).isEqualTo(4);
    assertThat(client.stages().summary(first.id()).byState()).containsOnlyKeys(TaskState.PENDING);
    assertThat(client.stages().get(first.id(), true).tasks()).hasSize(4);
    assertThat(client.stages().tasks(first.id(), 3, null).next()).isNotNull();
    assertThat(client.stages().tasks(first.id())).hasSize(4);
    assertThat(client.tasks().get(made.get(1).id()).data().integer("n")).isEqualTo(2);
    assertThat(client.jobs().stages(job.id()))
        .containsExactly(client.stages().get(first.id()), second);
    assertThat(client.jobs().get(job.id(), true).stages()).hasSize(2);
    assertThat(client.stages().all(StageFilter.all().ofJob(job.id()).in(StageState.WAITING)))
        .extracting(ApiStage::id)
        .containsExactly(second.id());
    assertThat(
            client
                .stages()
                .list(StageFilter.all().ofJob(job.id()).ofType("resize").withTasks(), null)
                .items())
        .hasSize(1);
    assertThat(
            client.tasks().all(TaskFilter.all().ofStage(first.id()).in(TaskState.PENDING).limit(2)))
        .hasSize(4);
    assertThat(client.tasks().all(TaskFilter.all().ofType("report"))).isEmpty();
  }

  @Test
  void jobsCanBeChangedPausedAndAborted() {
    ApiJob job = client.jobs().create(NewJob.of("levers"));
    ApiStage stage = stage(job);
    ApiStage gate = client.jobs().addStage(job.id(), NewStage.of("gated").waiting());
    ApiTask task = client.stages().addTasks(stage.id(), tasks(1)).getFirst();
    client.jobs().updateUserMetadata(job.id(), MARK);
    client.stages().updateUserMetadata(stage.id(), MARK);
    client.tasks().updateUserMetadata(task.id(), MARK);
    assertThat(client.jobs().get(job.id()).userMetadata()).isEqualTo(MARK);
    assertThat(client.stages().get(stage.id()).userMetadata()).isEqualTo(MARK);
    assertThat(client.tasks().get(task.id()).userMetadata()).isEqualTo(MARK);

    assertThat(client.jobs().updatePriority(job.id(), Priority.VERY_LOW)).isTrue();
    assertThat(client.jobs().updatePriority(job.id(), Priority.VERY_LOW)).isFalse();

    client.jobs().pause(job.id());
    assertThat(client.jobs().get(job.id()).status()).isEqualTo(JobState.PAUSED);
    client.jobs().resume(job.id());
    assertThatThrownBy(() -> client.stages().approve(gate.id()))
        .hasMessageContaining("Previous stage is not COMPLETED");
    ClaimedTask claim = client.stages().dequeue(dequeueRequest(1)).getFirst();
    client.tasks().updateStatus(claim.id(), claim.token(), TaskStatusUpdate.completed("x"));
    client.stages().approve(gate.id());
    assertThat(client.stages().get(gate.id()).status()).isEqualTo(StageState.PENDING);
    assertThatThrownBy(() -> client.jobs().delete(job.id()))
        .hasMessageContaining("JOB_NOT_IN_FINITE_STATE");
    client.jobs().abort(job.id());
    assertThat(client.jobs().all(JobFilter.all().named("levers").withStages()))
        .singleElement()
        .satisfies(
            one -> assertThat(one.stages().getLast().status()).isEqualTo(StageState.ABORTED));
    client.jobs().delete(job.id());
    assertThatThrownBy(() -> client.jobs().get(job.id())).hasMessageContaining("JOB_NOT_FOUND");
  }

  @Test
  void oldJobsAreListedAndDeleted() {
    List<UUID> made = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      made.add(client.jobs().create(NewJob.of("old")).id());
      client.jobs().abort(made.getLast());
      server.clock.advance(Duration.ofSeconds(1));
    }
    PruneRequest request = new PruneRequest(server.clock.instant(), Set.of(JobState.ABORTED));
    assertThat(client.jobs().prunable(request, 2, null).next()).isNotNull();
    assertThat(client.jobs().prunable(request).jobs())
        .extracting(PrunableJob::id)
        .containsExactlyElementsOf(made);
    assertThat(client.jobs().prune(request)).isEqualTo(3);
    assertThat(client.jobs().prunable(request).jobs()).isEmpty();
    assertThatThrownBy(() -> new PruneRequest(Instant.EPOCH, Set.of(JobState.PENDING)))
        .hasMessageContaining("COMPLETED, FAILED or ABORTED");
  }

  @Test
  void workersReportTheirTasks() {
    ApiJob job = client.jobs().create(NewJob.of("workers").data(MARK));
    ApiStage stage = stage(job);
    client.stages().addTasks(stage.id(), tasks(4));

    List<ClaimedTask> claims = client.stages().dequeue(dequeueRequest(3));
    assertThat(claims).hasSize(3);
    ClaimedTask one = claims.getFirst();
    assertThat(one.jobId()).isEqualTo(job.id());
    assertThat(one.jobData()).isEqualTo(MARK);
    assertThat(one.stageType()).isEqualTo("resize");
    assertThat(one.lease()).isEqualTo(Duration.ofSeconds(60));
    assertThat(one.token()).isNotNull();
    assertThat(one.task().worker()).isEqualTo("w-1");

    assertThat(client.tasks().heartbeat(one.id(), one.token(), true).cancel()).isFalse();
    client.tasks().log(one.id(), one.token(), List.of(new NewLogLine("warn", "half way")));
    ApiTask done =
        client
            .tasks()
            .updateStatus(
                one.id(),
                one.token(),
                TaskStatusUpdate.completed(JsonObject.create().put("ok", true)).receipt(MARK));
    assertThat(done.status()).isEqualTo(TaskState.COMPLETED);
    assertThat(done.result()).isEqualTo("{\"ok\":true}");
    assertThat(done.receipt()).isEqualTo(MARK);

    ClaimedTask two = claims.get(1);
    assertThat(client.tasks().release(two.id(), two.token(), "not today").status())
        .isEqualTo(TaskState.RETRIED);
    ClaimedTask three = claims.get(2);
    ApiException fenced =
        org.assertj.core.api.Assertions.catchThrowableOfType(
            ApiException.class,
            () ->
                client.tasks().updateStatus(three.id(), "9.9", TaskStatusUpdate.completed("mine")));
    assertThat(fenced.code()).isEqualTo("TASK_STATUS_UPDATE_FAILED");
    assertThat(fenced.requestId()).isNotNull();

    ClaimedTask tokenless = client.stages().dequeue("resize").orElseThrow();
    assertThat(tokenless.token()).isNull();
    assertThat(tokenless.lease()).isEqualTo(Duration.ofMinutes(30));
    client.tasks().updateStatus(tokenless.id(), null, TaskStatusUpdate.completed(null));
    client.stages().dequeue("resize").orElseThrow();
    assertThat(client.stages().dequeue("resize")).isEmpty();
    assertThat(
            client
                .tasks()
                .updateStatus(
                    three.id(),
                    three.token(),
                    TaskStatusUpdate.failed("torn", false).partial("half"))
                .error())
        .isEqualTo("torn");
    assertThat(client.jobs().get(job.id()).status()).isEqualTo(JobState.FAILED);
  }

  @Test
  void pipelinesAreSubmittedAsAWhole() {
    JsonObject document =
        Json.object(
            """
            {"name": "whole", "tags": ["green"],
             "stages": [
               {"type": "resize", "tasks": ["a", {"input": {"n": 2}}]},
               {"type": "report", "each": "{{result}}!", "gate": true}]}
            """);
    ApiJob job = client.jobs().submit(document, "key-1");
    assertThat(job.sealed()).isTrue();
    assertThat(job.stages()).extracting(ApiStage::type).containsExactly("resize", "report");
    assertThat(job.stages().getLast().gate()).isTrue();
    assertThat(client.jobs().submit(document, "key-1").id()).isEqualTo(job.id());
    assertThat(JobDocument.read(client.jobs().document(job.id()), JobDocument.INLINE))
        .isEqualTo(JobDocument.read(document, JobDocument.INLINE));
    assertThat(client.jobs().terms(job.id())).isEmpty();
    assertThatThrownBy(() -> client.jobs().submit(JsonObject.create(), null))
        .hasMessageContaining("VALIDATION_ERROR");
    assertThatThrownBy(() -> client.jobs().addStage(job.id(), NewStage.of("more")))
        .hasMessageContaining("JOB_SEALED");
    assertThat(client.stages().tasks(job.stages().getFirst().id()))
        .extracting(ApiTask::input)
        .containsExactly("a", Map.of("n", 2L));
  }

  @Test
  void aRetryAdoptsWhatWasCompleted() {
    JsonObject document =
        Json.object("{\"stages\": [{\"type\": \"crop\", \"tasks\": [\"a\", \"b\"]}]}");
    ApiJob job = client.jobs().submit(document, null);
    assertThatThrownBy(() -> client.jobs().retry(job.id(), false))
        .hasMessageContaining("JOB_NOT_IN_FINITE_STATE");
    ClaimRequest one = new ClaimRequest(Set.of("crop"), 1, "w", null);
    server.store.complete(server.store.claim(one).getFirst(), TaskResult.of("A"));
    client.jobs().abort(job.id());
    ApiJob.Retried retried = client.jobs().retry(job.id(), false, "key-2");
    assertThat(retried.job().retryOf()).isEqualTo(job.id());
    assertThat(retried.adopted()).isEqualTo(1);
    assertThat(retried.tasks()).isEqualTo(2);
    assertThat(client.jobs().retry(job.id(), false, "key-2")).isEqualTo(retried);
    assertThatThrownBy(() -> client.jobs().retry(job.id(), true, "key-2"))
        .hasMessageContaining("CONFLICT");
    ApiStage stage = client.jobs().stages(retried.job().id()).toList().getFirst();
    assertThat(stage.summary().adopted()).isEqualTo(1);
    List<ApiTask> tasks = client.stages().tasks(stage.id()).toList();
    assertThat(tasks).extracting(ApiTask::result).containsExactly("A", null);
    JobId own = EntityId.of(job.id()).orElseThrow().job();
    assertThat(tasks.getFirst().adoptedFrom()).isEqualTo(new Adoption(own, 1, job.creationTime()));
    assertThat(client.jobs().retry(job.id(), true).adopted()).isZero();
  }

  @Test
  void manyJobsAreFoundAndChanged() {
    JsonObject document =
        Json.object(
            "{\"name\": \"many\", \"tags\": [\"lots\"],"
                + " \"stages\": [{\"type\": \"crop\", \"tasks\": [\"a\"]}]}");
    assertThat(client.jobs().check(document)).isEqualTo(new CheckedPipeline(1, 1));
    UUID one = client.jobs().submit(document, null).id();
    UUID two = client.jobs().submit(document, null).id();
    SearchFilter lots =
        SearchFilter.all()
            .in(JobState.PENDING)
            .ofType("crop")
            .tagged("lots")
            .containing("MANY")
            .oldestFirst(true);
    await().until(() -> client.search().jobs(lots, 0, 10).total() == 2);
    JobSearchResult found = client.search().jobs(lots, 1, 10);
    assertThat(found.jobs()).singleElement().extracting(FoundJob::id).isEqualTo(two);
    assertThat(found.jobs().getFirst().levers()).containsExactly("pause", "abort");
    assertThat(client.search().ids(lots).ids()).containsExactly(one, two);
    assertThat(client.search().jobs(SearchFilter.all().ofModel("none"), 0, 1).total()).isZero();

    UUID none = UUID.fromString("00000000-0000-4000-8000-000000000000");
    BulkResult aborted =
        client.search().change(new BulkAction(BulkAction.Kind.ABORT, List.of(one, none), "enough"));
    assertThat(aborted.outcomes())
        .containsExactly(
            new BulkResult.Outcome(one, true, null, null, null),
            new BulkResult.Outcome(
                none, false, null, "JOB_NOT_FOUND", aborted.outcomes().getLast().reason()));
    client.jobs().updateStatus(two, JobState.ABORTED, "enough of this, too");
    JobLogPage log = client.inspection().log(two, 1, 10);
    assertThat(log.entries().getFirst().string("comment")).isEqualTo("enough of this, too");
    assertThat(log.next()).isNull();
    assertThat(client.inspection().session().scopes()).contains("admin");
    assertThat(client.inspection().stateMachines()).hasSize(4);
    assertThat(client.jobs().retry(two, true, null, "again").job().levers()).contains("pause");
  }

  @Test
  void so1JobsCanBeFollowedAndCancelled() {
    NewSo1Job request =
        NewSo1Job.prompt("resize", "a secret").named("one").priority(Priority.HIGH).tags("so1");
    So1Job job = client.so1().create(request, "a-key");
    assertThat(client.so1().create(request, "a-key").id()).isEqualTo(job.id());
    assertThat(job.state()).isEqualTo(So1State.PENDING);
    assertThat(job.metadata().action()).isEqualTo("resize");
    assertThat(job.metadata().inputs().toString()).doesNotContain("a secret");

    ClaimedTask claim = client.stages().dequeue(dequeueRequest(1)).getFirst();
    client.tasks().updateStatus(claim.id(), claim.token(), TaskStatusUpdate.completed("small"));
    List<SseEvent> events = new ArrayList<>();
    try (JobEventStream stream = client.so1().events(job.id(), 0L)) {
      stream.forEachRemaining(events::add);
    }
    assertThat(events.getFirst().state()).contains(So1State.PENDING);
    assertThat(events.getLast().state()).contains(So1State.SUCCESS);
    assertThat(events.getLast().output()).contains(Map.of("text", "small"));
    assertThat(events).extracting(SseEvent::id).doesNotHaveDuplicates();
    try (JobEventStream late = client.so1().events(job.id(), null)) {
      assertThat(late.stream()).hasSize(1).allMatch(SseEvent::isFinal);
    }
    assertThat(client.so1().logs(job.id()))
        .extracting(LogLine::cursor)
        .hasSameSizeAs(events)
        .isSorted();
    assertThat(client.so1().logs(job.id(), 2, null).next()).isEqualTo("2");
    assertThat(client.so1().get(job.id()).output()).isEqualTo(Map.of("text", "small"));
    assertThat(client.so1().all(So1State.SUCCESS, "so1"))
        .extracting(So1Job::id)
        .containsExactly(job.id());
    assertThatThrownBy(() -> client.so1().cancel(job.id())).hasMessageContaining("CONFLICT");

    So1Job other = client.so1().create(NewSo1Job.prompt("resize", "x").onHold());
    assertThat(other.paused()).isTrue();
    assertThat(client.so1().cancel(other.id(), "a typo").state()).isEqualTo(So1State.CANCELLED);
    assertThat(client.so1().cancel(other.id()).reason()).isEqualTo("a typo");
    try (JobEventStream end = client.so1().events(other.id(), null)) {
      assertThat(end.next().reason()).contains("a typo");
    }
    assertThatThrownBy(() -> client.so1().create(NewSo1Job.of("paint")))
        .hasMessageContaining("known: embed, generate, pipeline, resize");
    assertThat(client.so1().session().userId()).isEqualTo("local");
    assertThatThrownBy(() -> client.so1().get(UUID.randomUUID())).hasMessageContaining("NOT_FOUND");
  }

  @Test
  void theServerIsWatched() {
    ApiJob job = client.jobs().create(NewJob.of("watched"));
    UUID task = client.stages().addTasks(stage(job).id(), tasks(1)).getFirst().id();
    try (ServerEventStream states = client.live().watch()) {
      List<String> waiting;
      do {
        LiveState live = LiveState.fromJson(states.next().json());
        waiting = live.waiting().stream().map(WaitingJob::name).toList();
      } while (!waiting.contains("watched"));
    }
    assertThat(client.live().now().waitingTotal()).isPositive();
    assertThat(client.live().history(5).interval()).isEqualTo(Duration.ofSeconds(5));

    ClaimRequest request =
        new ClaimRequest(Set.of("resize"), 1, "w", null)
            .ofJob(EntityId.of(job.id()).orElseThrow().job());
    Claim claim = server.store.claim(request).getFirst();
    server.store.appendJournal(claim, new OutputChunk(List.of(1), "half "));
    try (ServerEventStream events = client.tasks().output(task, 0)) {
      TaskOutput piece = TaskOutput.fromJson(events.next().json());
      assertThat(piece.text()).isEqualTo("half ");
      assertThat(events.lastEventId()).isEqualTo(Long.toString(piece.next()));
      server.store.complete(claim, TaskResult.of("half done"));
      SseEvent end = events.next();
      assertThat(end.event()).isEqualTo("end");
      assertThat(TaskOutputEnd.fromJson(end.json()))
          .isEqualTo(new TaskOutputEnd(TaskState.COMPLETED, "half done", null));
      assertThat(events.hasNext()).isFalse();
    }
  }

  @Test
  void finishedTasksAreVerified() {
    JsonObject document = Json.object("{\"stages\": [{\"type\": \"embed\", \"tasks\": [\"a\"]}]}");
    ApiJob job = client.jobs().submit(document, null);
    ApiTask task = client.stages().tasks(job.stages().getFirst().id()).toList().getFirst();
    assertThatThrownBy(() -> client.tasks().verify(task.id(), Duration.ofSeconds(10)))
        .hasMessageContaining("TASK_NOT_COMPLETED");
    ClaimRequest one = new ClaimRequest(Set.of("embed"), 1, "w", null);
    JsonObject receipt = JsonObject.create().put("model_sha256", "ab");
    server.store.complete(
        server.store.claim(one).getFirst(), TaskResult.of("[1]").withReceipt(receipt));
    assertThat(client.tasks().verify(task.id(), Duration.ofSeconds(10)))
        .isEqualTo(new TaskVerdict(true, true, "the same [1]"));
  }

  @Test
  void healthAndDocumentsAreServed() {
    assertThat(client.monitoring().live()).isTrue();
    assertThat(client.monitoring().ready()).isTrue();
    assertThat(client.monitoring().liveness()).isTrue();
    assertThat(client.monitoring().health().string("status")).isEqualTo("ok");
    assertThat(client.monitoring().metrics()).contains("up 1");
    assertThat(client.monitoring().serviceMetrics()).contains("up 1");
    assertThat(client.monitoring().openApi().string("openapi")).startsWith("3.1");
    assertThat(client.monitoring().docs()).contains("<html");
    assertThat(client.monitoring().home()).isEqualTo("/docs/api");
    assertThat(client.monitoring().page()).contains("<html");
    assertThat(client.monitoring().server().types()).containsExactly("resize");
  }
}
