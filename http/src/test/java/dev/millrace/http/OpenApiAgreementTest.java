package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.live.LiveRouteGroup;
import dev.millrace.http.live.ServerAccess;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.openai.OpenAiRouteGroup;
import dev.millrace.http.openai.response.ResponseRoutes;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.overview.OverviewSources;
import dev.millrace.http.overview.ServerOverviewRoute;
import dev.millrace.http.page.PageRouteGroup;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.so1.So1RouteGroup;
import dev.millrace.http.verify.VerifierAccess;
import dev.millrace.http.verify.VerifyRoute;
import dev.millrace.server.infer.VerifyResult;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The server and the OpenAPI document agree on all paths and on the body of every operation. */
class OpenApiAgreementTest {
  private final OpenApiDocument api = OpenApiDocument.load();
  private final DocumentedResponseCheck document = new DocumentedResponseCheck();
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  private final List<RouteGroup> groups = groups(store, api);
  private final HttpService service = HttpService.open(HttpSettings.loopback(0), groups);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Set<String> called = new TreeSet<>();

  private static OpenAiRouteGroup openAi(JobStore store) {
    InferenceAccess models = new InferenceAccess();
    return new OpenAiRouteGroup(models, ResponseRoutes.over(store, models, _ -> {}, Duration.ZERO));
  }

  private static List<RouteGroup> groups(JobStore store, OpenApiDocument api) {
    IdResolver ids = new IdResolver(store);
    IdempotentSubmitter once = new IdempotentSubmitter(store, Clock.systemUTC());
    byte[] metrics = "jobs 1\n".getBytes(StandardCharsets.US_ASCII);
    JobnikRouteGroup jobnik = new JobnikRouteGroup(store, ids, once, _ -> {}, Backoff.NONE);
    jobnik.add(
        new ServerOverviewRoute(OverviewSources.withoutModels(store, Set.of("resize"))).routes());
    VerifierAccess verifier = new VerifierAccess();
    verifier.attach(_ -> new VerifyResult(true, true, "the same 4 characters"));
    jobnik.add(new VerifyRoute(new EntityLookup(store, ids), verifier).routes());
    return List.of(
        jobnik,
        LiveRouteGroup.start(store, ids, ServerAccess.NONE, ProcessClock.system()),
        new So1RouteGroup(
            store, Set.of("resize"), Set.of(), jobnik.workerTypes(), ids, once, _ -> {}),
        openAi(store),
        PageRouteGroup.load(),
        new MonitoringRouteGroup(
            _ ->
                new ApiResponse.Content(
                    200, Map.of(), "text/plain; version=0.0.4; charset=utf-8", metrics),
            List.of(),
            api.bytes(),
            ApiDocsPage.load(),
            Clock.systemUTC(),
            Map::of));
  }

  @AfterEach
  void stop() {
    service.close();
    client.close();
    store.close();
  }

  @Test
  void routesAndOperationsAreTheSameSet() {
    List<String> served =
        groups.stream()
            .flatMap(group -> group.routes().stream())
            .map(
                r ->
                    r.operationId()
                        + ": "
                        + r.method()
                        + " "
                        + r.documentedPath()
                        + " for "
                        + r.scope())
            .toList();
    List<String> written =
        api.operations().stream()
            .map(o -> o.id() + ": " + o.method() + " " + o.path() + " for " + o.scope())
            .toList();
    assertThat(served).containsExactlyInAnyOrderElementsOf(written);
  }

  /** Calls every operation and checks each response against the document. */
  @Test
  void everyResponseIsAsDocumented() throws Exception {
    String job = produce();
    work(job);
    act();
    watch();
    verify();
    operate();
    Set<String> all = new TreeSet<>();
    api.operations().forEach(operation -> all.add(operation.id()));
    // those need a model: the tests of the house model check their responses in the same way
    openAi(store).routes().forEach(route -> all.remove(route.operationId()));
    assertThat(called).isEqualTo(all);
  }

  private String produce() throws Exception {
    JsonObject made =
        Json.object(
            request(201, "createJob", "{\"name\":\"thumbs\",\"data\":{\"w\":1},\"tags\":[\"a\"]}"));
    String job = made.string("id");
    request(400, "createJob", "{\"nmae\":\"x\"}");
    String whole =
        "{\"stages\":[{\"type\":\"generate\",\"gate\":true,\"tasks\":[\"x\",{\"input\":{\"a\":1}}]}]}";
    JsonObject pipeline = Json.object(request(201, "createPipeline", whole));
    String gated = JsonObject.of(pipeline.list("stages").getFirst(), "stage").string("id");
    request(200, "findJobs?limit=1", null);
    request(400, "findJobs?limit=0", null);
    request(200, "getJobById?should_return_stages=true", null, job);
    request(404, "getJobById", null, "00000000-0000-4000-8000-000000000000");
    request(200, "updateJobUserMetadata", "{\"any\":[1,null]}", job);
    request(200, "updateJobPriority", "{\"priority\":\"HIGH\"}", job);
    request(204, "updateJobPriority", "{\"priority\":\"HIGH\"}", job);
    request(200, "updateJobStatus", "{\"status\":\"PAUSED\"}", job);
    request(200, "updateJobStatus", "{\"status\":\"PENDING\"}", job);
    request(400, "deleteJob", null, job);
    request(400, "addStage", "{\"type\":\"resize\",\"data\":{}}", pipeline.string("id"));
    request(200, "getPipeline", null, pipeline.string("id"));
    request(404, "getPipeline", null, "00000000-0000-4000-8000-000000000000");
    request(200, "getJobTerms?limit=1", null, pipeline.string("id"));
    request(400, "getJobTerms?cursor=x", null, pipeline.string("id"));
    request(400, "retryJob", null, pipeline.string("id"));
    request(404, "retryJob", "{}", "00000000-0000-4000-8000-000000000000");
    String aborted = Json.object(request(201, "createPipeline", whole)).string("id");
    request(200, "updateJobStatus", "{\"status\":\"ABORTED\"}", aborted);
    request(201, "retryJob", null, aborted);
    request(201, "retryJob", "{\"fromStart\":true}", aborted);
    request(400, "retryJob", "{\"fromStart\":1}", aborted);
    request(200, "searchJobs?text=thumbs", null);
    request(200, "searchJobs?ids_only=true", null);
    request(400, "searchJobs?limit=5000", null);
    request(200, "changeJobs", "{\"action\":\"pause\",\"jobs\":[\"" + aborted + "\"]}");
    request(400, "changeJobs", "{\"action\":\"pause\",\"jobs\":[]}");
    request(200, "getJobLog?limit=1", null, aborted);
    request(404, "getJobLog", null, "00000000-0000-4000-8000-000000000000");
    request(200, "checkPipeline", whole);
    request(400, "checkPipeline", "{}");
    String old = "{\"before\":\"2026-01-01T00:00:00Z\"";
    request(200, "pruneJobs", old + "}");
    request(200, "pruneJobs?limit=1", old + ",\"states\":[\"FAILED\"],\"dryRun\":true}");
    request(400, "pruneJobs", old + ",\"states\":[\"PENDING\"]}");
    request(200, "updateStageStatus", "{\"status\":\"PENDING\"}", gated);
    request(200, "updateStageUserMetadata", "{}", gated);
    request(200, "getStages?stage_type=generate&should_return_tasks=true", null);
    return job;
  }

  private void work(String job) throws Exception {
    String stage =
        Json.object(
                request(
                    201,
                    "addStage",
                    "{\"type\":\"resize\",\"data\":{\"q\":8},\"maxAttempts\":2,\"runTimeout\":\"90s\"}",
                    job))
            .string("id");
    request(
        201,
        "addTasks",
        "[{\"data\":{\"f\":1}},{\"data\":{\"f\":2},\"userMetadata\":{\"row\":2}}]",
        stage);
    request(200, "getStagesByJobId?should_return_tasks=true", null, job);
    request(200, "getStageById?should_return_tasks=true", null, stage);
    request(200, "getStageSummary", null, stage);
    request(200, "getTasksByStageId", null, stage);
    request(200, "getTasks?status=PENDING", null);
    request(404, "dequeueTask", null, "nothing");
    JsonObject bare = Json.object(request(200, "dequeueTask", null, "resize"));
    assertThat(bare.has("token")).isFalse();
    request(200, "updateTaskStatus", "{\"status\":\"FAILED\",\"error\":\"no\"}", bare.string("id"));
    request(200, "getTaskById", null, bare.string("id"));
    request(200, "dequeueTask?limit=1", null, "nothing");
    HttpResponse<String> taken =
        send("dequeueTask", "?limit=5", null, "Millrace-Worker", "w1", "resize");
    document.check("dequeueTask", taken.statusCode(), type(taken), taken.body());
    for (Object one : (List<?>) Objects.requireNonNull(Json.parse(taken.body()))) {
      finish(JsonObject.of(one, "task"));
    }
  }

  private void finish(JsonObject task) throws Exception {
    String id = task.string("id");
    String token = "\"token\":\"" + task.string("token") + "\"";
    request(200, "updateTaskUserMetadata", "{\"seen\":true}", id);
    request(200, "heartbeatTask", "{" + token + ",\"progress\":true}", id);
    request(409, "heartbeatTask", "{\"token\":\"1.1\"}", id);
    request(200, "logTask", "{" + token + ",\"lines\":[{\"line\":\"half\"}]}", id);
    request(
        200,
        "updateTaskStatus",
        "{" + token + ",\"status\":\"COMPLETED\",\"result\":{\"a\":1},\"receipt\":{\"n\":1}}",
        id);
    request(409, "releaseTask", "{\"token\":\"1.1\"}", id);
    request(200, "getTaskById", null, id);
    request(200, "followTaskOutput", null, id);
    request(400, "verifyTask", null, id);
  }

  /** The vector of a model: its receipt is enough to compute it again. */
  private void verify() throws Exception {
    String embed = "{\"stages\":[{\"type\":\"embed\",\"tasks\":[\"x\"]}]}";
    request(201, "createPipeline", embed);
    JsonObject task = Json.object(request(200, "dequeueTask", null, "embed"));
    request(400, "verifyTask", null, task.string("id"));
    request(
        200,
        "updateTaskStatus",
        "{\"status\":\"COMPLETED\",\"result\":[1],\"receipt\":{\"model_sha256\":\"ab\"}}",
        task.string("id"));
    request(200, "verifyTask", null, task.string("id"));
    request(404, "verifyTask", null, "00000000-0000-4000-8000-000000000000");
  }

  private void act() throws Exception {
    JsonObject made =
        Json.object(
            request(
                202,
                "submitJob",
                "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"maxTokens\":5}}"));
    request(
        400,
        "submitJob",
        "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"temperature\":500}}");
    request(400, "submitJob", "{\"action\":\"dance\"}");
    request(404, "dequeueTask", null, "dance");
    JsonObject dance = Json.object(request(202, "submitJob", "{\"action\":\"dance\"}"));
    String reason = "{\"reason\":\"no music\"}";
    request(200, "cancelJob", reason, dance.object("job").string("id"));
    request(400, "cancelJob", "{\"reason\":\"\"}", dance.object("job").string("id"));
    request(200, "getJob", null, dance.object("job").string("id"));
    String id = made.object("job").string("id");
    request(200, "listJobs?state=pending", null);
    request(200, "getJob", null, id);
    request(200, "getJobLogs?limit=1", null, id);
    request(200, "getSession", null);
    request(200, "cancelJob", null, id);
    request(200, "streamJobEvents", null, id);
    request(200, "deleteJob", null, id);
    JsonObject program =
        Json.object(
            request(202, "submitJob", "{\"action\":\"resize\",\"inputs\":{\"prompt\":\"x\"}}"));
    JsonObject task = Json.object(request(200, "dequeueTask", null, "resize"));
    request(200, "releaseTask", "{\"reason\":\"tired\"}", task.string("id"));
    JsonObject again = Json.object(request(200, "dequeueTask?wait=5", null, "resize"));
    request(
        200,
        "updateTaskStatus",
        "{\"status\":\"COMPLETED\",\"result\":\"done\"}",
        again.string("id"));
    request(200, "getJob", null, program.object("job").string("id"));
    request(409, "cancelJob", null, program.object("job").string("id"));
    request(404, "getJob", null, "00000000-0000-4000-8000-000000000000");
  }

  private void watch() throws Exception {
    request(200, "getThroughputHistory?minutes=5", null);
    request(400, "getThroughputHistory?minutes=61", null);
    request(400, "followLiveState?x=1", null);
    request(404, "followTaskOutput", null, "00000000-0000-4000-8000-000000000000");
    HttpRequest live = HttpRequest.newBuilder(service.uri().resolve("/v1/live")).build();
    HttpResponse<Stream<String>> states = client.send(live, BodyHandlers.ofLines());
    try (Stream<String> lines = states.body()) { // it has no end
      String data = lines.filter(line -> line.startsWith("data: ")).findFirst().orElseThrow();
      document.checkSchema("LiveState", Json.object(data.substring(6)));
    }
    document.check("followLiveState", states.statusCode(), type(states), "");
    called.add("followLiveState");
  }

  private void operate() throws Exception {
    for (String id :
        List.of(
            "getLiveness",
            "getLive",
            "getReady",
            "getHealth",
            "getMetrics",
            "getServiceMetrics",
            "getOpenApi",
            "getOpenApiOfDocs",
            "getDocs",
            "getKeySession",
            "getStateMachines")) {
      request(200, id, null);
    }
    request(200, "getServer", null);
    request(400, "getServer?x=1", null);
    request(302, "getRoot", null);
    request(200, "getPageFile", null, "app.js");
    request(200, "getPageFile", null, "style.css");
    request(404, "getPageFile", null, "nothing.js");
    request(400, "getHealth?x=1", null);
  }

  /** Calls an operation, checks its response against the document, and returns the body. */
  private String request(int status, String asked, @Nullable String body, String... parameters)
      throws Exception {
    int query = asked.indexOf('?');
    String operation = query < 0 ? asked : asked.substring(0, query);
    HttpResponse<String> response =
        send(operation, query < 0 ? "" : asked.substring(query), body, "X-None", "1", parameters);
    assertThat(response.statusCode()).as("%s: %s", asked, response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("X-Request-Id")).as(asked).isPresent();
    document.check(operation, status, type(response), response.body());
    if (status < 400) {
      called.add(operation);
    }
    return response.body();
  }

  private HttpResponse<String> send(
      String id,
      String query,
      @Nullable String body,
      String name,
      String value,
      String... parameters)
      throws Exception {
    OpenApiDocument.Operation operation = api.operation(id).orElseThrow();
    String path = operation.path();
    for (String parameter : parameters) {
      path = path.replaceFirst("\\{\\w+}", parameter);
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.uri().resolve(path) + query))
            .timeout(Duration.ofSeconds(20))
            .header(name, value);
    if (body == null) {
      request.method(operation.method(), BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(operation.method(), BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static @Nullable String type(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Type").orElse(null);
  }
}
