package dev.millrace.http.jobnik;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import dev.millrace.http.route.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The Jobnik API over real sockets, on a store in memory with a manual clock. Every answer is
 * checked against the OpenAPI document.
 */
final class JobnikTestServer implements AutoCloseable {
  private static final DocumentedResponseCheck DOCUMENT = new DocumentedResponseCheck();

  final ManualClock clock;
  final JobStore store;
  final HttpService service;
  private final JobnikRouteGroup routes;
  private boolean extensions = true;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  JobnikTestServer() {
    this(new ManualClock());
  }

  private JobnikTestServer(ManualClock clock) {
    this(new MemoryStoreFixture().open(ContractSettings.steady(clock)), clock);
  }

  /** On a store with its own clock. */
  JobnikTestServer(JobStore store) {
    this(store, new ManualClock());
  }

  private JobnikTestServer(JobStore store, ManualClock clock) {
    this(store, clock, Set.of());
  }

  /** A server that has workers of its own for this type. */
  static JobnikTestServer withWorkersFor(String type) {
    ManualClock clock = new ManualClock();
    return new JobnikTestServer(
        new MemoryStoreFixture().open(ContractSettings.steady(clock)), clock, Set.of(type));
  }

  private JobnikTestServer(JobStore store, ManualClock clock, Set<String> types) {
    this.clock = clock;
    this.store = store;
    routes =
        new JobnikRouteGroup(
            store,
            new IdResolver(store),
            new IdempotentSubmitter(store, clock),
            _ -> {},
            Backoff.NONE,
            new StageTaskCheck(types, Set.of()));
    service = HttpService.open(HttpSettings.loopback(0), List.of(routes));
  }

  /**
   * The status of a request with a key that has one scope, to a service of its own over the same
   * store.
   *
   * @param directory for the file of keys
   * @param request makes the request to that service, without its key
   */
  int statusWithScope(KeyScope scope, Path directory, Function<URI, HttpRequest.Builder> request)
      throws IOException, InterruptedException {
    Path keys = directory.resolve("keys");
    String key = ApiKeyFile.add(keys, "somebody", Set.of(scope));
    try (HttpService guarded =
        HttpService.open(HttpSettings.loopback(0).withKeys(keys), List.of(routes))) {
      return client
          .send(
              request.apply(guarded.uri()).header("Authorization", "Bearer " + key).build(),
              BodyHandlers.ofString())
          .statusCode();
    }
  }

  /** From now on, requests are those of a client that knows Jobnik only. */
  JobnikTestServer asJobnikClient() {
    extensions = false;
    return this;
  }

  /** An answer. */
  record ApiReply(int status, HttpHeaders headers, String text) {
    JsonObject object() {
      return Json.object(text);
    }

    List<JsonObject> list() {
      List<?> list = (List<?>) Json.parse(text);
      return list.stream().map(one -> JsonObject.of(one, "element")).toList();
    }

    String string(String name) {
      return object().string(name);
    }

    String id() {
      return string("id");
    }

    String code() {
      return string("code");
    }

    String message() {
      return string("message");
    }

    @Nullable String header(String name) {
      return headers.firstValue(name).orElse(null);
    }

    /** The status, and the code of an error. */
    String brief() {
      return status < 300 ? "" + status : status + " " + code();
    }
  }

  ApiReply get(String path) {
    return send("GET", path, null);
  }

  ApiReply post(String path, String body, String... headers) {
    return send("POST", path, body, headers);
  }

  ApiReply put(String path, String body) {
    return send("PUT", path, body);
  }

  ApiReply patch(String path, String body) {
    return send("PATCH", path, body);
  }

  ApiReply delete(String path) {
    return send("DELETE", path, null);
  }

  ApiReply send(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(service.uri().resolve(URI.create(path)))
            .timeout(Duration.ofSeconds(30))
            .method(
                method,
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json(body)));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (extensions) {
      request.header(ExtensionFields.HEADER, "true");
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      check(method, path, answer);
      return new ApiReply(answer.statusCode(), answer.headers(), answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void check(String method, String path, HttpResponse<String> answer) {
    List<Route> fixedFirst =
        routes.routes().stream()
            .sorted(Comparator.comparing((Route route) -> route.path().contains("{")))
            .toList();
    for (Route route : fixedFirst) {
      String pattern = route.path().replaceAll("\\{\\w+}", "[^/]+");
      if (route.method().equals(method) && path.split("\\?", 2)[0].matches(pattern)) {
        DOCUMENT.check(
            route.operationId(),
            answer.statusCode(),
            answer.headers().firstValue("content-type").orElse(null),
            answer.body());
        return;
      }
    }
  }

  /** JSON with single quotes as JSON with double quotes. */
  static String json(String text) {
    return text.replace('\'', '"');
  }

  String job() {
    return job("{'name':'work','data':{}}");
  }

  String job(String body) {
    return post("/v1/jobs", body).id();
  }

  String stage(String job, String type) {
    return post("/v1/jobs/" + job + "/stage", "{'type':'" + type + "','data':{}}").id();
  }

  /** Adds {@code count} tasks, and returns their ids. */
  List<String> tasks(String stage, int count) {
    return tasks(stage, count, "");
  }

  List<String> tasks(String stage, int count, String more) {
    StringBuilder body = new StringBuilder("[");
    for (int i = 1; i <= count; i++) {
      body.append(i == 1 ? "" : ",").append("{'data':{'n':" + i + "}" + more + "}");
    }
    return post("/v1/stages/" + stage + "/tasks", body.append("]").toString()).list().stream()
        .map(task -> task.string("id"))
        .toList();
  }

  /** The request of a Jobnik worker: no name, no token. */
  ApiReply dequeue(String type) {
    return send("PATCH", "/v1/stages/" + type + "/tasks/dequeue", null);
  }

  /** The request of a worker with a name. */
  ApiReply dequeue(String type, String worker, String query) {
    return send(
        "PATCH",
        "/v1/stages/" + type + "/tasks/dequeue" + query,
        null,
        WorkerRoutes.WORKER,
        worker);
  }

  ApiReply complete(JsonObject task) {
    return report(task, "COMPLETED", "");
  }

  ApiReply fail(JsonObject task, String error) {
    return report(task, "FAILED", ",'error':'" + error + "'");
  }

  ApiReply report(JsonObject task, String status, String more) {
    String token = task.has("token") ? ",'token':'" + task.string("token") + "'" : "";
    return put(
        "/v1/tasks/" + task.string("id") + "/status",
        "{'status':'" + status + "'" + token + more + "}");
  }

  String status(String path) {
    return get(path).string("status");
  }

  /** How many requests wait for tasks. */
  int waiting() {
    return routes.waiting();
  }

  static TraceContext trace(char digit) {
    String one = String.valueOf(digit);
    return new TraceContext("00-" + one.repeat(32) + "-" + one.repeat(16) + "-01", null);
  }

  @Override
  public void close() {
    client.shutdownNow();
    service.close();
    store.close();
  }
}
