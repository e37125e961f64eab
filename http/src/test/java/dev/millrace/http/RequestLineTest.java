package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Request lines that servers read in different ways. */
@Tag("slow")
final class RequestLineTest {
  private static final String HOST = "\r\nHost: localhost\r\n\r\n";
  private static final Queue<String> LOG = new ConcurrentLinkedQueue<>();
  private static HttpService service;

  @BeforeAll
  static void open() {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofMillis(800), Duration.ofSeconds(30));
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0).withLimits(limits).withAccessLog(LOG::add),
            new TestRouteGroup("").named("GET", "/x"),
            new TestRouteGroup("/api")
                .named("GET", "/api/jobs")
                .route(
                    "GET",
                    "/api/query",
                    KeyScope.READ,
                    request -> ApiResponse.ok(Map.of("a", request.query("a").orElse("")))));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @BeforeEach
  void clear() {
    LOG.clear();
  }

  /** Sends a text and waits for the response, with the connection still open. */
  private static RawHttp1Client.Response send(String text) throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      long start = System.nanoTime();
      RawHttp1Client.Response response = wire.send(text).read(false);
      assertThat(System.nanoTime() - start).as("at once").isLessThan(700_000_000L);
      assertThat(wire.isClosed()).isEqualTo(response.status() != 200);
      return response;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET /api/jobs HTTP/1.0 | 505 | HTTP/1.0 is not supported",
        "GET /api/jobs HTTP/3.0 | 505 | HTTP/3.0 is not supported",
        "GET /api/jobs HTTP/2.0 | 505 | HTTP/1.1",
        "PRI * HTTP/2.1 | 505 | HTTP/1.1",
        "GET /api/jobs | 400 | METHOD TARGET HTTP/1.1",
        "GET | 400 | METHOD TARGET HTTP/1.1",
        "GET /api/jobs HTTP/1.x | 400 | must end with HTTP/1.1",
        "GET /api/jobs http/1.1 | 400 | must end with HTTP/1.1",
        "G<T /api/jobs HTTP/1.1 | 400 | method",
        "get /api/jobs HTTP/1.1 | 400 | method",
        "GET /api/a\\b HTTP/1.1 | 400 | %XX",
        "GET /api/jobs?a b HTTP/1.1 | 400 | %XX",
        "GET /api/jobs#a HTTP/1.1 | 400 | %XX",
        "GET  /api/jobs HTTP/1.1 | 400 | %XX",
        "GET /api/jobs\u0000 HTTP/1.1 | 400 | %XX",
        "GET /api/jobs\u0001 HTTP/1.1 | 400 | %XX",
        "GET /api/jöbs HTTP/1.1 | 400 | %XX",
      })
  void malformedLineIsRefusedAtOnceWithAReason(String line, int status, String words)
      throws IOException {
    RawHttp1Client.Response response = send(line + HOST);
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    assertThat(response.text()).contains(words).doesNotContain("server log", "Invalid");
    if (line.contains(" /api/") && line.contains(" HTTP/") && !line.contains("  ")) {
      assertThat(response.text()).contains("\"group\":\"/api\"");
    }
    assertThat(LOG).anyMatch(entry -> entry.contains("\"status\":" + status));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /x HTTP/1.0\r\n\r\n",
        "GET /x HTTP/1.1\nHost: localhost\n\n",
        "GET /x\r\n",
        "\u0016\u0003\u0001\u0000\u0005hello\r\n",
        "PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n",
      })
  void malformedRequestGetsAResponseAtOnce(String text) throws IOException {
    RawHttp1Client.Response response = send(text);
    assertThat(response.status()).as(response.text()).isIn(400, 505);
    assertThat(response.text()).contains("not valid HTTP here: ");
  }

  @Test
  void secondRequestIsCheckedToo() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      assertThat(wire.ask("GET", "/x").status()).isEqualTo(200);
      assertThat(wire.ask("get", "/x").status()).isEqualTo(400);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void unusualMethodsAreAccepted() throws IOException {
    assertThat(RawHttp1Client.ask(service, "BREW", "/x").status()).isEqualTo(405);
    assertThat(RawHttp1Client.ask(service, "M-SEARCH", "/x").status()).isEqualTo(405);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://localhost/api/jobs | 200",
        "HTTP://127.0.0.1:80/api/jobs | 200",
        "https://localhost/api/query?a=b | 200",
        "http://localhost?a=b | 404",
        "http://evil.example/api/jobs | 403",
        "http://localhost | 404",
        "http://localhost/api/../x | 404",
        "http:///api/jobs | 403",
        "ftp://localhost/api/jobs | 404",
      })
  void targetMayHaveAbsoluteForm(String target, int status) throws IOException {
    RawHttp1Client.Response response = RawHttp1Client.ask(service, "GET", target);
    assertThat(response.status()).as(response.text()).isEqualTo(status);
  }

  @Test
  void hostOfTheTargetWinsOverTheHostField() throws IOException {
    String target = "http://localhost/api/query?a=b";
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "GET", target, "Host: evil.example");
    assertThat(response.text()).isEqualTo("{\"a\":\"b\"}");
    await().until(() -> LOG.stream().anyMatch(line -> line.contains("\"/api/query?a=b\"")));
  }

  @Test
  void emptyLineBeforeARequestIsSkipped() throws IOException {
    String get = "GET /x HTTP/1.1" + HOST;
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.send("\r\n" + get + "\r\n" + get);
      assertThat(wire.read(false).status()).isEqualTo(200);
      assertThat(wire.read(false).status()).isEqualTo(200);
      wire.send("\r\n\r\n\r\n");
      assertThat(wire.read(false).status()).isEqualTo(400);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "G",
        "GET /api/jobs HT",
        "GET /api/jobs HTTP/1.1\r",
        "GET /api/jobs HTTP/1.1\r\nHost: loc"
      })
  void slowHeadGetsATimeout(String start) throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      RawHttp1Client.Response response = wire.send(start).read(false);
      assertThat(response.status()).isEqualTo(408);
      assertThat(response.text()).contains("REQUEST_TIMEOUT");
      assertThat(response.text()).contains(start.contains("\n") ? "\"/api\"" : "\"group\":\"\"");
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(LOG).anyMatch(entry -> entry.contains("\"status\":408"));
  }

  @Test
  void timeoutOfAHeadStartsWithItsFirstByte() throws IOException {
    try (RawHttp1Client quick = RawHttp1Client.to(service);
        RawHttp1Client slow = RawHttp1Client.to(service)) {
      assertThat(quick.ask("GET", "/x").status()).isEqualTo(200);
      slow.send("G");
      assertThat(slow.read(false).status()).as("after the timeout").isEqualTo(408);
      assertThat(quick.ask("GET", "/x").status()).isEqualTo(200);
    }
  }
}
