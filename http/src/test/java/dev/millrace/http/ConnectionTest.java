package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits and timeouts of connections, and who may use a server without keys. */
@Tag("slow")
final class ConnectionTest {
  private final CountDownLatch go = new CountDownLatch(1);
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private HttpService service;

  private HttpService open(HttpLimits limits) {
    RouteGroup group =
        new TestRouteGroup("")
            .named("GET", "/x")
            .route("POST", "/body", KeyScope.READ, request -> ApiResponse.ok(Map.of("size", 1)))
            .route(
                "GET",
                "/later",
                KeyScope.READ,
                request ->
                    new ApiResponse.Stream(
                        200,
                        Map.of(),
                        "text/plain",
                        sink -> {
                          sink.send(new byte[] {'a'});
                          go.await();
                          sink.send(new byte[] {'b'});
                        }));
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0).withLimits(limits).withAccessLog(log::add), group);
    return service;
  }

  @AfterEach
  void close() {
    service.close();
  }

  private static HttpLimits times(long idleMillis, long slowestMillis) {
    return HttpLimits.DEFAULT.withTimeouts(
        Duration.ofMillis(idleMillis), Duration.ofMillis(slowestMillis), Duration.ofSeconds(30));
  }

  @Test
  void tooManyHeaderFieldsAreRefused() throws IOException {
    open(HttpLimits.DEFAULT);
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "GET", "/x", "X-Big: " + "x".repeat(20_000));
    assertThat(response.status()).as(response.text()).isEqualTo(431);
    assertThat(response.text()).contains("HEADERS_TOO_LARGE");
    assertThat(response.field("X-Request-Id")).isNotEmpty();
    await().untilAsserted(() -> assertThat(log).anyMatch(line -> line.contains("\"status\":431")));
  }

  @Test
  void tooLongTargetIsRefused() throws IOException {
    open(HttpLimits.DEFAULT);
    RawHttp1Client.Response response = RawHttp1Client.ask(service, "GET", "/" + "x".repeat(10_000));
    assertThat(response.status()).as(response.text()).isIn(400, 414, 431);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GARBAGE\r\n\r\n",
        "GET /x HTTP/1.1\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: localhost\r\nnocolon\r\n\r\n",
        "GET /x HTTP/3.0\r\nHost: localhost\r\n\r\n",
        "GET /x\r\n\r\n",
        "\u0000\u0001\u0002\r\n\r\n",
      })
  void malformedRequestIsRefusedOrClosed(String text) throws IOException {
    open(HttpLimits.DEFAULT);
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.send(text).half();
      try {
        RawHttp1Client.Response response = wire.read(false);
        assertThat(response.status()).as(response.text()).isBetween(400, 505);
        assertThat(response.text()).doesNotContain("reached").doesNotContain("Exception");
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("after \"\"");
      }
    }
    assertThat(RawHttp1Client.ask(service, "GET", "/x").status()).isEqualTo(200);
  }

  @Test
  void slowHeaderFieldsTimeOut() throws IOException {
    open(times(60_000, 600));
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.send("GET /x HTTP/1.1\r\nHost: localhost\r\nX-A: ");
      assertThat(wire.read(false).status()).isEqualTo(408);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void idleConnectionsAreClosed() throws IOException {
    open(times(1000, 600));
    try (RawHttp1Client silent = RawHttp1Client.to(service);
        RawHttp1Client dripping = RawHttp1Client.to(service);
        RawHttp1Client used = RawHttp1Client.to(service)) {
      dripping.send("GE");
      assertThat(used.ask("GET", "/x").status()).isEqualTo(200);
      assertThat(silent.isClosed()).isTrue();
      assertThat(dripping.read(false).status()).isEqualTo(408);
      assertThat(dripping.isClosed()).isTrue();
      assertThat(used.isClosed()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
  void streamIsNotAnIdleConnection(String version) throws Exception {
    open(times(1000, 600));
    try (HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.valueOf(version)).build()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(service.uri().resolve("/later")).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.version().name()).isEqualTo(version);
      try (InputStream in = response.body();
          RawHttp1Client silent = RawHttp1Client.to(service)) {
        assertThat(in.read()).isEqualTo('a');
        assertThat(silent.isClosed()).isTrue(); // long enough that idle connections were closed
        go.countDown();
        assertThat(in.read()).isEqualTo('b');
        assertThat(in.read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void connectionsBeyondTheLimitWait() throws IOException {
    open(HttpLimits.DEFAULT.withConnections(2));
    try (RawHttp1Client first = RawHttp1Client.to(service);
        RawHttp1Client second = RawHttp1Client.to(service);
        RawHttp1Client third = RawHttp1Client.to(service)) {
      assertThat(first.ask("GET", "/x").status()).isEqualTo(200);
      assertThat(second.ask("GET", "/x").status()).isEqualTo(200);
      third.timeout(300).request("GET", "/x");
      assertThatThrownBy(() -> third.read(false)).isInstanceOf(SocketTimeoutException.class);
      first.request("GET", "/x", "Connection: close");
      assertThat(third.timeout(20_000).read(false).status()).isEqualTo(200);
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    open(HttpLimits.DEFAULT);
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      String get = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
      wire.send(
          get
              + "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Content-Length: 2\r\n\r\n{}"
              + get);
      assertThat(wire.read(false).text()).contains("/x");
      assertThat(wire.read(false).text()).contains("size");
      assertThat(wire.read(false).text()).contains("/x");
    }
  }

  @Test
  void connectionClosesWhenTheClientAsks() throws IOException {
    open(HttpLimits.DEFAULT);
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      assertThat(wire.ask("GET", "/x", "Connection: close").field("Connection")).isEqualTo("close");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void foreignHostNameIsRefusedWithoutKeys() throws IOException {
    open(HttpLimits.DEFAULT);
    assertThat(RawHttp1Client.ask(service, "GET", "/x", "Host: evil.example").status())
        .isEqualTo(403);
    assertThat(RawHttp1Client.ask(service, "GET", "/x", "Host: localhost.evil.example").status())
        .isEqualTo(403);
    for (String host : List.of("localhost:8080", "127.0.0.1", "[::1]:80", "LOCALHOST")) {
      assertThat(RawHttp1Client.ask(service, "GET", "/x", "Host: " + host).status())
          .as(host)
          .isEqualTo(200);
    }
  }

  @Test
  void acceptsHttp2WithPriorKnowledge() throws IOException {
    open(HttpLimits.DEFAULT);
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      assertThat(frames.get(1, "/x").answer(1)).isEqualTo("{\"reached\":\"/x\"}");
    }
  }

  @Test
  void takenPortIsReported() {
    open(HttpLimits.DEFAULT);
    int port = service.address().getPort();
    assertThatThrownBy(
            () -> TestRouteGroup.open(HttpSettings.loopback(port), new TestRouteGroup("")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port " + port);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "https://localhost.evil.example", "null", ""})
  void withoutKeysPagesOfOtherSitesChangeNothing(String origin) throws IOException {
    open(HttpLimits.DEFAULT);
    RawHttp1Client.Response refused =
        RawHttp1Client.ask(
            service,
            "POST",
            "/body",
            "Origin: " + origin,
            "Content-Type: application/json",
            "\n{}");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("FORBIDDEN").contains("Origin").contains("API keys");
    assertThat(RawHttp1Client.ask(service, "GET", "/x", "Origin: " + origin).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:3000", "http://127.0.0.1:8080", "https://[::1]"})
  void withoutKeysPagesOfThisMachineAreAllowed(String origin) throws IOException {
    open(HttpLimits.DEFAULT);
    RawHttp1Client.Response response =
        RawHttp1Client.ask(
            service,
            "POST",
            "/body",
            "Origin: " + origin,
            "Content-Type: application/json",
            "\n{}");
    assertThat(response.status()).isEqualTo(200);
  }

  @Test
  void groupsAreClosedIfTheServiceCannotOpen() {
    open(HttpLimits.DEFAULT);
    AtomicInteger closed = new AtomicInteger();
    RouteGroup group = closing(closed);
    assertThatThrownBy(
            () ->
                TestRouteGroup.open(
                    HttpSettings.loopback(service.address().getPort()), group, group))
        .hasMessageContaining("choose another port");
    assertThat(closed).hasValue(2);
  }

  private static RouteGroup closing(AtomicInteger closed) {
    return new RouteGroup() {
      @Override
      public String prefix() {
        return "";
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
        closed.incrementAndGet();
      }
    };
  }
}
