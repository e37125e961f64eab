package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bodies are accepted: by size, form, framing and transfer time. */
@Tag("slow")
final class RequestBodyTest {
  private static final String JSON = "Content-Type: application/json";
  private static final String CHUNKED = "Transfer-Encoding: chunked";
  private static final int MAX = 1000;

  private final AtomicInteger reached = new AtomicInteger();
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private HttpService service;

  @BeforeEach
  void open() {
    HttpLimits limits =
        HttpLimits.DEFAULT
            .withBodies(MAX, 300_000)
            .withTimeouts(Duration.ofSeconds(60), Duration.ofMillis(700), Duration.ofSeconds(30));
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0).withLimits(limits).withAccessLog(log::add),
            new TestRouteGroup("")
                .route("POST", "/one", KeyScope.SUBMIT, this::echo)
                .route("POST", "/tasks", KeyScope.SUBMIT, this::echo)
                .named("GET", "/one"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  private ApiResponse echo(ApiRequest request) {
    reached.incrementAndGet();
    return ApiResponse.ok(Map.of("body", request.body() == null ? "none" : request.body()));
  }

  private static String list(int bytes) {
    return "[\"" + "x".repeat(bytes - 4) + "\"]";
  }

  @Test
  void bodyOfKnownLengthIsParsed() throws IOException {
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "POST", "/one", JSON, "\n{\"a\":[1,2]}");
    assertThat(response.text()).isEqualTo("{\"body\":{\"a\":[1,2]}}");
  }

  @Test
  void chunksAreJoined() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED).send("3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n");
      assertThat(wire.read(false).text()).isEqualTo("{\"body\":[1,2]}");
      assertThat(wire.ask("GET", "/one").status()).isEqualTo(200); // the connection stays open
    }
  }

  @Test
  void largestAllowedBodyPasses() throws IOException {
    assertThat(RawHttp1Client.ask(service, "POST", "/one", JSON, "\n" + list(MAX)).status())
        .isEqualTo(200);
    assertThat(RawHttp1Client.ask(service, "POST", "/tasks", JSON, "\n" + list(300_000)).status())
        .isEqualTo(200);
  }

  @Test
  void oneByteTooManyIsRefusedAndClosesTheConnection() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      RawHttp1Client.Response response = wire.ask("POST", "/one", JSON, "\n" + list(MAX + 1));
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.text()).contains("TOO_LARGE").contains("1000 bytes");
      assertThat(response.field("Connection")).isEqualTo("close");
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(reached).hasValue(0);
  }

  @Test
  void hugeContentLengthIsRefusedBeforeTheBody() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 99999999999");
      RawHttp1Client.Response response = wire.read(false);
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.text()).contains("TOO_LARGE");
    }
  }

  @Test
  void endlessChunksAreRefusedAtTheLimit() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED);
      for (int i = 0; i < 20; i++) {
        wire.send("40\r\n" + "x".repeat(64) + "\r\n");
      }
      assertThat(wire.read(false).status()).isEqualTo(413);
    }
    assertThat(reached).hasValue(0);
  }

  @Test
  void clientThatExpectsContinueGetsIt() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 2", "Expect: 100-continue");
      assertThat(wire.read(false).status()).isEqualTo(100);
      wire.send("{}");
      assertThat(wire.read(false).text()).isEqualTo("{\"body\":{}}");
    }
  }

  @Test
  void clientThatExpectsContinueIsRefusedAtOnceIfTooLarge() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 5000", "Expect: 100-continue");
      assertThat(wire.read(false).status()).isEqualTo(413);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void incompleteBodyReachesNoHandler() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 10").send("{}").half();
      assertThat(wire.isClosed()).isTrue();
    }
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED).send("2\r\n{}\r\n").half();
      assertThat(wire.isClosed()).isTrue();
    }
    await().until(() -> log.stream().filter(line -> line.contains("\"status\":499")).count() == 2);
    assertThat(reached).hasValue(0);
  }

  @Test
  void slowBodyTimesOut() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 900").send("[");
      RawHttp1Client.Response response = wire.read(false);
      assertThat(response.status()).isEqualTo(408);
      assertThat(response.text()).contains("REQUEST_TIMEOUT");
      assertThat(response.field("Connection")).isEqualTo("close");
      assertThat(wire.isClosed()).isTrue();
    }
    await().until(() -> log.stream().anyMatch(line -> line.contains("\"status\":408")));
    assertThat(reached).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1,", "{\"a\":1,\"a\":2}", "nul", "[1] x", "\"\\ud800\""})
  void brokenJsonIsMalformedWithItsPosition(String body) throws IOException {
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "POST", "/one", JSON, "\n" + body);
    assertThat(response.status()).isEqualTo(400);
    assertThat(response.text()).contains("MALFORMED").contains("line 1, column");
  }

  @Test
  void brokenUtf8IsMalformed() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, "Content-Length: 3");
      wire.send(new byte[] {'"', (byte) 0xC3, '"'});
      assertThat(wire.read(false).text()).contains("UTF-8");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "application/jsonx",
        ""
      })
  void onlyJsonIsAccepted(String type) throws IOException {
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "POST", "/one", "Content-Type: " + type, "\n{}");
    assertThat(response.status()).as(response.text()).isEqualTo(415);
    assertThat(RawHttp1Client.ask(service, "POST", "/one", "\n{}").status()).isEqualTo(415);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/json;charset=\"utf-8\"",
        "application/merge-patch+json"
      })
  void everyJsonMediaTypeIsAccepted(String type) throws IOException {
    assertThat(
            RawHttp1Client.ask(service, "POST", "/one", "Content-Type: " + type, "\n{}").status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "gzip, gzip", "br"})
  void compressedBodiesAreRefused(String encoding) throws IOException {
    RawHttp1Client.Response response =
        RawHttp1Client.ask(service, "POST", "/one", JSON, "Content-Encoding: " + encoding, "\n{}");
    assertThat(response.status()).as(response.text()).isEqualTo(415);
    assertThat(reached).hasValue(0);
  }

  @Test
  void lengthAndChunksTogetherAreRefused() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED, "Content-Length: 4");
      wire.send("0\r\n\r\nGET /one HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(wire.read(false).status()).isEqualTo(400);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: -1",
        "Content-Length: 2, 3",
        "Content-Length: 0x2",
        "Content-Length: +2",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity"
      })
  void ambiguousFramingIsRefused(String field) throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, field).send("{}");
      RawHttp1Client.Response response = wire.read(false);
      assertThat(response.status()).as(response.text()).isIn(400, 501);
      assertThat(response.text()).contains("\"kind\"");
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(reached).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x\r\n",
        ";x\r\n",
        "\r\n",
        "-1\r\n",
        "+1\r\n",
        "0x1\r\n",
        "FFFFFFFFFFFFFFFF\r\n",
        "7FFFFFFF\r\n",
        "2\n{}",
        "2\r\n{}3\r\n",
        "2\r\n{}\r\n0\r\n;x\r\n\r\n",
        "2\r\n{}\r\n0\r\n0;x\r\n\r\n"
      })
  void brokenChunksAreRefused(String chunk) throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED).send(chunk);
      RawHttp1Client.Response response = wire.read(false);
      assertThat(response.status()).as(response.text()).isIn(400, 413);
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(reached).hasValue(0);
  }

  /** The limit depends on the heap. */
  @Test
  void tooManyValuesForTheMemoryAreRefused() throws IOException {
    assumeThat(Runtime.getRuntime().maxMemory()).isLessThan(8L << 30);
    try (HttpService large =
        TestRouteGroup.open(
            new TestRouteGroup("").route("POST", "/tasks", KeyScope.SUBMIT, this::echo))) {
      String lists = "[" + "[],".repeat(20_000_000) + "[]]";
      RawHttp1Client.Response response =
          RawHttp1Client.ask(large, "POST", "/tasks", JSON, "\n" + lists);
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.text()).contains("so many values").contains("in parts");
      assertThat(RawHttp1Client.ask(large, "POST", "/tasks", JSON, "\n[[],[]]").status())
          .isEqualTo(200);
    }
    assertThat(reached).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2;x\r\n{}\r\n0;y\r\n\r\n", "02 ; x=\"y\"\r\n{}\r\n00\r\n\r\n"})
  void chunkExtensionsAreIgnored(String chunks) throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED).send(chunks);
      assertThat(wire.read(false).text()).isEqualTo("{\"body\":{}}");
      assertThat(wire.ask("GET", "/one").status()).isEqualTo(200); // the connection stays open
    }
  }

  @Test
  void endlessChunkSizeIsNotKept() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/one", JSON, CHUNKED).send("2;" + "x".repeat(1100));
      assertThat(wire.read(false).status()).isEqualTo(400);
    }
  }

  @Test
  void largeChunkIsReadInPieces() throws IOException {
    String list = list(250_000);
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/tasks", JSON, CHUNKED).send("3d090\r\n");
      wire.send(list + "\r\n0\r\n\r\n");
      assertThat(wire.read(false).text()).isEqualTo("{\"body\":" + list + "}");
      assertThat(wire.ask("GET", "/one").status()).isEqualTo(200);
      wire.request("POST", "/one", JSON, CHUNKED).send("3d090\r\n" + list.substring(0, 20_000));
      assertThat(wire.read(false).status()).as("before the whole body arrived").isEqualTo(413);
    }
  }

  @Test
  void errorBeforeTheBodyIsReadClosesTheConnection() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("POST", "/nowhere", JSON, "Content-Length: 100").send("[");
      RawHttp1Client.Response response = wire.read(false);
      assertThat(response.status()).isEqualTo(404);
      assertThat(response.field("Connection")).isEqualTo("close");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void unreadBytesDoNotHideTheResponse() throws IOException {
    byte[] much = "x".repeat(200_000).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 20; i++) {
      try (RawHttp1Client wire = RawHttp1Client.to(service)) {
        wire.request("POST", "/one", JSON, "Content-Length: " + much.length).send(much);
        assertThat(wire.read(false).status()).isEqualTo(413);
      }
    }
  }
}
