package dev.millrace.http.so1;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The so1 API and the paths of workers, on a free port of loopback; in memory unless said. */
final class So1TestServer implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(30);
  static final Set<String> TYPES = Set.of("generate", "embed", "resize");

  final JobStore store;

  /** Refuses all webhooks. */
  volatile boolean webhooksRefused;

  final RecentWorkerTypes workerTypes;
  final So1RouteGroup routes;
  final HttpService http;

  /** The lines of the access log. */
  final List<String> accesses = new CopyOnWriteArrayList<>();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  So1TestServer() {
    this(Duration.ofSeconds(15), HttpLimits.DEFAULT);
  }

  So1TestServer(JobStore store) {
    this(store, Duration.ofSeconds(15), HttpLimits.DEFAULT);
  }

  /**
   * @param heartbeat the heartbeat of streams without events
   */
  So1TestServer(Duration heartbeat, HttpLimits limits) {
    this(
        new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC())),
        heartbeat,
        limits);
  }

  private So1TestServer(JobStore store, Duration heartbeat, HttpLimits limits) {
    this.store = store;
    IdResolver ids = new IdResolver(store);
    IdempotentSubmitter submitter = new IdempotentSubmitter(store, Clock.systemUTC());
    JobnikRouteGroup workers = new JobnikRouteGroup(store, ids, submitter, _ -> {}, Backoff.NONE);
    this.workerTypes = workers.workerTypes();
    this.routes =
        new So1RouteGroup(
            store,
            new SubmissionReader(new KnownActions(TYPES, workerTypes), Set.of("house", "other")),
            ids,
            submitter,
            hook -> {
              if (webhooksRefused || hook.url().contains("10.0.0.1")) {
                throw new Problem(Problem.Kind.INVALID, "webhook: 10.0.0.1 is a private address");
              }
            },
            new LogHub.Intervals(heartbeat, Duration.ofMillis(500)));
    HttpSettings settings =
        HttpSettings.loopback(0).withLimits(limits).withAccessLog(accesses::add);
    this.http = HttpService.open(settings, List.of(workers, routes));
  }

  /** An answer. */
  record ApiReply(int status, HttpResponse<String> response) {
    JsonObject json() {
      return Json.object(response.body());
    }

    JsonObject job() {
      return json().object("job");
    }

    /** The code and the message of an error. */
    String error() {
      JsonObject error = json().object("error");
      return error.string("code") + " " + error.string("message");
    }
  }

  URI uri(String target) {
    return http.uri().resolve(target);
  }

  ApiReply get(String target, String... headers) throws IOException, InterruptedException {
    return send("GET", target, null, headers);
  }

  ApiReply post(String target, @Nullable Object body, String... headers)
      throws IOException, InterruptedException {
    return send("POST", target, body, headers);
  }

  ApiReply send(String method, String target, @Nullable Object body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(target)).timeout(LONG);
    if (headers.length > 0) {
      request.headers(headers);
    }
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      String text = body instanceof String given ? given : Json.write(body);
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(text));
    }
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    return new ApiReply(response.statusCode(), response);
  }

  /** Submits a prompt over HTTP. */
  JobId submit(String prompt) throws IOException, InterruptedException {
    ApiReply answer =
        post("/api/jobs", "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"" + prompt + "\"}}");
    return EntityId.parse(answer.job().string("id")).flatMap(EntityId::of).orElseThrow().job();
  }

  JobId submit(JobSpec spec) {
    return store.submit(spec);
  }

  Claim claim() {
    return claim("generate");
  }

  Claim claim(String type) {
    return store.claim(new ClaimRequest(Set.of(type), 1, "tester", null)).getFirst();
  }

  static String path(JobId id) {
    return "/api/jobs/" + EntityId.of(id);
  }

  @Override
  public void close() {
    http.close();
    client.close();
    store.close();
  }
}
