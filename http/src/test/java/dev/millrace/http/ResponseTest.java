package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.monitoring.ReadinessCheck;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.transport.Gzip;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses, checks against the OpenAPI document, monitoring routes, and the end of a server. */
final class ResponseTest {
  private static final String LARGE = "a text that packs well ".repeat(20_000);
  private static final String DOCUMENT =
      """
      {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/api/things": {
        "get": {"operationId": "GET /api/things", "x-scope": "read", "parameters": [
          {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}}],
          "responses": {"200": {"description": "them"}}},
        "post": {"operationId": "POST /api/things", "x-scope": "submit", "requestBody": {
          "required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": {"name": {"type": "string"}}}}}},
          "responses": {"200": {"description": "it"}}},
        "delete": {"operationId": "DELETE /api/things", "x-scope": "submit",
          "responses": {"200": {"description": "gone"}}}}}}
      """;

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);
  private final AtomicReference<String> trouble = new AtomicReference<>();
  private final AtomicReference<Map<String, String>> waiting = new AtomicReference<>(Map.of());
  private final AtomicBoolean closed = new AtomicBoolean();
  private HttpService service;

  @BeforeEach
  void open() {
    TestRouteGroup api =
        new TestRouteGroup("/api")
            .named("GET", "/api/things")
            .named("POST", "/api/things")
            .named("DELETE", "/api/things")
            .route(
                "GET",
                "/api/large",
                KeyScope.READ,
                request -> ApiResponse.ok(Map.of("text", LARGE)))
            .route(
                "GET",
                "/api/varied",
                KeyScope.READ,
                request ->
                    new ApiResponse.Content(
                        200,
                        Map.of("Vary", "Accept"),
                        "text/plain",
                        LARGE.getBytes(StandardCharsets.UTF_8)))
            .route("GET", "/api/none", KeyScope.READ, request -> ApiResponse.json(204, null))
            .route("GET", "/api/nan", KeyScope.READ, request -> ApiResponse.ok(List.of(Double.NaN)))
            .route("GET", "/api/null", KeyScope.READ, request -> ApiResponse.json(200, null))
            .route("GET", "/api/slow", KeyScope.READ, this::slow);
    RouteGroup operations =
        new MonitoringRouteGroup(
            accept ->
                new ApiResponse.Content(
                    200,
                    Map.of(),
                    accept == null ? "text/plain" : "for/" + accept,
                    "up 1\n".getBytes(StandardCharsets.UTF_8)),
            List.of(
                ReadinessCheck.of("store", () -> Optional.ofNullable(trouble.get())),
                ReadinessCheck.of(
                    "fragile",
                    () -> {
                      if ("fragile".equals(trouble.get())) {
                        throw new IllegalStateException("secret");
                      }
                      return Optional.empty();
                    })),
            "{}".getBytes(StandardCharsets.UTF_8),
            ApiDocsPage.load(),
            Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC),
            waiting::get);
    service =
        HttpService.open(
            HttpSettings.loopback(0),
            List.of(api, operations, new Closing(closed)),
            List.of(),
            OpenApiDocument.read(DOCUMENT.getBytes(StandardCharsets.UTF_8))::operation);
  }

  @AfterEach
  void close() {
    leave.countDown();
    service.close();
  }

  private ApiResponse slow(ApiRequest request) throws InterruptedException {
    entered.countDown();
    leave.await();
    return ApiResponse.ok("done");
  }

  private RawHttp1Client.Response get(String target, String... fields) throws IOException {
    return RawHttp1Client.ask(service, "GET", target, fields);
  }

  @Test
  void largeResponsesAreCompressedOnRequest() throws IOException {
    RawHttp1Client.Response packed = get("/api/large", "Accept-Encoding: deflate, gzip;q=0.5");
    assertThat(packed.field("Content-Encoding")).isEqualTo("gzip");
    assertThat(packed.field("Vary")).isEqualTo("Accept-Encoding");
    assertThat(get("/api/varied", "Accept-Encoding: gzip").field("Vary").replace(" ", ""))
        .isEqualTo("Accept,Accept-Encoding");
    assertThat(packed.body()).hasSizeLessThan(20_000);
    String text =
        new String(
            new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes(),
            StandardCharsets.UTF_8);
    assertThat(text).isEqualTo(get("/api/large").text()).contains(LARGE);
    assertThat(get("/api/things", "Accept-Encoding: gzip").field("Content-Encoding")).isEmpty();
  }

  @Test
  void headOfACompressedResponseHasItsLength() throws IOException {
    RawHttp1Client.Response head =
        RawHttp1Client.ask(service, "HEAD", "/api/large", "Accept-Encoding: gzip");
    RawHttp1Client.Response full = get("/api/large", "Accept-Encoding: gzip");
    assertThat(head.field("Content-Length")).isEqualTo(full.field("Content-Length"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip | true",
        "GZIP;q=1 | true",
        "* | true",
        "br, *;q=0.1 | true",
        "gzip;q=0 | false",
        "gzip;q=0, * | false",
        "*;q=0 | false",
        "identity | false",
        "gzip;q=x | false",
        "gzipped | false"
      })
  void acceptEncodingIsParsed(String field, boolean packed) {
    assertThat(Gzip.accepted(field)).isEqualTo(packed);
  }

  @Test
  void responsesWithoutContentHaveNoBody() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      RawHttp1Client.Response none = wire.ask("GET", "/api/none");
      assertThat(none.status()).isEqualTo(204);
      assertThat(none.fields()).doesNotContainKey("Content-Type");
      assertThat(wire.ask("GET", "/api/null").text()).isEqualTo("null");
    }
  }

  @Test
  void responseThatIsNotJsonIsAServerError() throws IOException {
    assertThat(get("/api/nan").status()).isEqualTo(500);
  }

  @Test
  void queriesAreCheckedAgainstTheDocument() throws IOException {
    assertThat(get("/api/things?limit=3").status()).isEqualTo(200);
    for (String query : List.of("limit=0", "limit=x", "limit=1&limit=2", "limt=1")) {
      RawHttp1Client.Response response = get("/api/things?" + query);
      assertThat(response.status()).as(query).isEqualTo(400);
      assertThat(response.text()).contains("\"kind\":\"INVALID\"", "request/query");
    }
    assertThat(get("/api/things?limt=1").text()).contains("limt");
    assertThat(get("/api/things?limit=%zz").status()).isEqualTo(400);
    assertThat(get("/api/things?limit=%C3").status()).isEqualTo(400);
  }

  @Test
  void bodiesAreCheckedAgainstTheDocument() throws IOException {
    String json = "Content-Type: application/json";
    assertThat(
            RawHttp1Client.ask(service, "POST", "/api/things", json, "\n{\"name\":\"a\"}").status())
        .isEqualTo(200);
    RawHttp1Client.Response missing =
        RawHttp1Client.ask(service, "POST", "/api/things", json, "\n{}");
    assertThat(missing.status()).isEqualTo(400);
    assertThat(missing.text()).contains("MALFORMED", "request/body", "name");
    assertThat(
            RawHttp1Client.ask(service, "POST", "/api/things", json, "\n{\"name\":\"a\",\"nme\":1}")
                .text())
        .contains("nme");
    assertThat(RawHttp1Client.ask(service, "POST", "/api/things").text())
        .contains("must have a body");
    assertThat(RawHttp1Client.ask(service, "DELETE", "/api/things", json, "\n[1]").text())
        .contains("must be empty");
    assertThat(RawHttp1Client.ask(service, "DELETE", "/api/things", json, "\n{}").status())
        .isEqualTo(200);
  }

  @Test
  void undocumentedRoutesAreRefused() {
    TestRouteGroup group = new TestRouteGroup("/v1").named("GET", "/v1/jobs");
    assertThatThrownBy(() -> HttpService.open(HttpSettings.loopback(0), List.of(group)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("GET /v1/jobs with scope read");
  }

  @Test
  void http2RefusesATooLargeBodyOnItsStreamOnly() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      assertThat(client.send(request("/api/things").build(), text()).version())
          .isEqualTo(HttpClient.Version.HTTP_2);
      HttpRequest large =
          request("/api/things")
              .header("Content-Type", "application/json")
              .DELETE()
              .method("DELETE", HttpRequest.BodyPublishers.ofByteArray(new byte[3 << 20]))
              .build();
      int status;
      try {
        status = client.send(large, text()).statusCode();
      } catch (IOException e) {
        status = 413; // the stream was reset before the response was read
      }
      assertThat(status).isEqualTo(413);
      HttpResponse<String> next = client.send(request("/api/large").build(), text());
      assertThat(next.statusCode()).isEqualTo(200);
      assertThat(next.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(next.body()).contains(LARGE);
      HttpResponse<String> none = client.send(request("/api/nowhere").build(), text());
      assertThat(none.statusCode()).isEqualTo(404);
      assertThat(none.headers().firstValue("connection")).isEmpty();
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(service.uri().resolve(path));
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  @Test
  void monitoringRoutesReportTheState() throws IOException {
    assertThat(get("/health/live").text()).isEqualTo("{\"status\":\"ok\"}");
    assertThat(get("/liveness").status()).isEqualTo(200);
    assertThat(get("/health").text())
        .isEqualTo("{\"status\":\"ok\",\"timestamp\":\"2026-01-02T03:04:05Z\"}");
    assertThat(get("/metrics").text()).isEqualTo("up 1\n");
    assertThat(get("/metrics").field("Content-Type")).isEqualTo("text/plain");
    assertThat(RawHttp1Client.ask(service, "GET", "/metrics", "Accept: this").field("Content-Type"))
        .isEqualTo("for/this");
    assertThat(get("/service-metrics").text()).isEqualTo("up 1\n");
    assertThat(get("/openapi.json").text()).isEqualTo("{}");
    assertThat(get("/docs/api").field("Content-Security-Policy")).contains("default-src 'none'");
  }

  @Test
  void waitingIsReportedAndIsNotAFailure() throws IOException {
    waiting.set(Map.of("model tiny", "layers 4 to 7 are nowhere"));
    RawHttp1Client.Response ready = get("/health/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.text())
        .isEqualTo(
            "{\"status\":\"ok\",\"waiting\":{\"model tiny\":\"layers 4 to 7 are nowhere\"}}");
    assertThat(get("/health").text())
        .startsWith("{\"status\":\"ok\"")
        .contains("layers 4 to 7 are nowhere");
    assertThat(get("/health/live").text()).isEqualTo("{\"status\":\"ok\"}");
  }

  @Test
  void readinessNamesTheFailure() throws IOException {
    assertThat(get("/health/ready").status()).isEqualTo(200);
    trouble.set("the disk is full");
    RawHttp1Client.Response response = get("/health/ready");
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("\"store\":\"the disk is full\"");
    trouble.set("fragile");
    assertThat(get("/health/ready").text()).contains("fragile").doesNotContain("secret");
    assertThat(get("/health/live").status()).isEqualTo(200);
  }

  @Test
  void drainLetsRequestsEndAndRefusesNewOnes() throws Exception {
    CompletableFuture<RawHttp1Client.Response> running = ask("/api/slow");
    entered.await();
    CompletableFuture<Boolean> drained =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return service.drain(Duration.ofSeconds(20));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            Thread::startVirtualThread);
    await().until(() -> get("/health/ready").status() == 503);
    RawHttp1Client.Response refused = get("/api/things");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.field("Retry-After")).isNotEmpty();
    assertThat(get("/health/live").status()).isEqualTo(200);
    assertThat(drained).isNotDone();
    leave.countDown();
    assertThat(running.get().text()).isEqualTo("\"done\"");
    assertThat(drained.get()).isTrue();
  }

  @Test
  void drainTimesOutAndCloseEndsEverything() throws Exception {
    CompletableFuture<RawHttp1Client.Response> running = ask("/api/slow");
    entered.await();
    assertThat(service.drain(Duration.ofMillis(50))).isFalse();
    service.close();
    assertThat(closed).isTrue();
    assertThatThrownBy(() -> RawHttp1Client.to(service)).isInstanceOf(IOException.class);
    await().until(running::isDone);
  }

  private CompletableFuture<RawHttp1Client.Response> ask(String path) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return get(path);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        Thread::startVirtualThread);
  }

  /** Records that it is closed. */
  private record Closing(AtomicBoolean closed) implements RouteGroup {
    @Override
    public String prefix() {
      return "/closing";
    }

    @Override
    public List<Route> routes() {
      return List.of();
    }

    @Override
    public JsonObject error(Problem problem, String requestId) {
      return JsonObject.create();
    }

    @Override
    public void close() {
      closed.set(true);
    }
  }
}
