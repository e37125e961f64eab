package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streamed responses over HTTP/1.1 and HTTP/2. */
@Tag("slow")
final class StreamedResponseTest {
  private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final AtomicReference<Throwable> ended = new AtomicReference<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger sent = new AtomicInteger();
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private HttpService service;

  @BeforeEach
  void open() {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofMillis(800));
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0).withLimits(limits).withAccessLog(log::add),
            new TestRouteGroup("")
                .route("GET", "/events", KeyScope.READ, request -> stream(this::events))
                .route("GET", "/flood", KeyScope.READ, request -> stream(this::flood))
                .route(
                    "GET",
                    "/large",
                    KeyScope.READ,
                    request ->
                        new ApiResponse.Content(200, Map.of(), "text/plain", new byte[50_000_000]))
                .route("GET", "/fails", KeyScope.READ, request -> stream(this::fails))
                .named("GET", "/x"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  private ApiResponse stream(ApiResponse.Body body) {
    return new ApiResponse.Stream(
        200,
        Map.of(),
        "text/event-stream",
        sink -> {
          try {
            body.write(sink);
          } catch (Throwable e) {
            ended.set(e);
            throw e;
          } finally {
            over.countDown();
          }
        });
  }

  private void events(ApiResponse.Sink sink) throws IOException, InterruptedException {
    for (String event = events.take(); !event.equals("end"); event = events.take()) {
      sink.send(event.getBytes(StandardCharsets.UTF_8));
    }
  }

  private void flood(ApiResponse.Sink sink) throws IOException {
    while (true) {
      sink.send(new byte[10_000]);
      sent.incrementAndGet();
    }
  }

  private void fails(ApiResponse.Sink sink) throws IOException {
    sink.send(new byte[] {'a'});
    throw new IllegalStateException("broken");
  }

  @Test
  void eachEventIsSentAtOnceOverHttp1() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      events.add("zero");
      wire.request("GET", "/events", "Accept-Encoding: gzip");
      String head = wire.head();
      assertThat(wire.chunk()).hasSize(4);
      assertThat(head).contains("HTTP/1.1 200", "text/event-stream", "X-Request-Id");
      assertThat(head.toLowerCase(Locale.ROOT))
          .contains("transfer-encoding: chunked")
          .doesNotContain("gzip");
      for (String event : List.of("one", "two", "three")) {
        events.add(event);
        assertThat(new String(wire.chunk(), StandardCharsets.UTF_8)).isEqualTo(event);
      }
      events.add("end");
      assertThat(wire.chunk()).isEmpty();
      assertThat(wire.ask("GET", "/x").status()).isEqualTo(200); // the connection stays open
    }
    await().until(() -> log.stream().anyMatch(line -> line.contains("\"bytes\":15")));
  }

  @Test
  void streamThatClosesTheConnectionIsComplete() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      events.add("one");
      wire.request("GET", "/events", "Connection: close").head();
      assertThat(wire.chunk()).hasSize(3);
      events.add("end");
      assertThat(wire.chunk()).isEmpty();
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void eachEventIsSentAtOnceOverHttp2() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      events.add("zero");
      HttpResponse<InputStream> response =
          client.send(request("/events"), HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      try (InputStream in = response.body()) {
        assertThat(in.readNBytes(4)).hasSize(4);
        for (String event : List.of("one", "two", "three")) {
          events.add(event);
          assertThat(new String(in.readNBytes(event.length()), StandardCharsets.UTF_8))
              .isEqualTo(event);
        }
        events.add("end");
        assertThat(in.read()).isEqualTo(-1);
      }
    }
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(service.uri().resolve(path)).build();
  }

  @Test
  void manyStreamsShareOneHttp2Connection() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      client.send(request("/x"), HttpResponse.BodyHandlers.discarding()); // upgraded now
      events.add("soon");
      HttpResponse<InputStream> first =
          client.send(request("/events"), HttpResponse.BodyHandlers.ofInputStream());
      for (int i = 0; i < 20; i++) {
        assertThat(client.send(request("/x"), HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
      }
      events.add("late");
      try (InputStream in = first.body()) {
        assertThat(in.readNBytes(8)).isEqualTo("soonlate".getBytes(StandardCharsets.UTF_8));
        events.add("end");
        assertThat(in.read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void clientThatDoesNotReadIsCutOff() throws Exception {
    try (LogCapture said = new LogCapture();
        RawHttp1Client wire = RawHttp1Client.to(service, 4096)) {
      wire.request("GET", "/flood?key=secret");
      over.await();
      await().until(() -> log.stream().anyMatch(line -> line.contains("\"status\":408")));
      assertThat(said.lines())
          .singleElement()
          .asString()
          .matches(
              "GET /flood of key \"local\": its client read nothing for 0.8 s and was dropped"
                  + " \\(request [-0-9a-f]{36}, after [1-9.]+[0-9.]* s and [1-9][0-9]* bytes\\)");
    }
    assertThat(ended.get()).isInstanceOf(IOException.class).hasMessageContaining("too slow");
  }

  @Test
  void aLargeEventIsWrittenInPiecesWhichEachHaveTheirOwnTime() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      events.add("x".repeat(150_000));
      wire.request("GET", "/events").head();
      assertThat(wire.chunk()).hasSize(65_536);
      assertThat(wire.chunk()).hasSize(65_536);
      assertThat(wire.chunk()).hasSize(150_000 - 2 * 65_536);
    }
  }

  @Test
  void clientThatReadsSlowlyIsNotCutOff() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service, 4096)) {
      wire.request("GET", "/flood").head();
      long until = System.nanoTime() + 2_000_000_000L;
      long read = 0;
      while (System.nanoTime() < until) {
        read += wire.chunk().length;
      }
      assertThat(over.getCount()).as("still open after %s bytes", read).isOne();
    }
    over.await();
    assertThat(ended.get()).isInstanceOf(IOException.class).hasMessageContaining("disconnected");
  }

  @Test
  void largeResponseThatIsNotReadIsCutOff() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service, 4096)) {
      wire.request("GET", "/large");
      await().until(() -> log.stream().anyMatch(line -> line.contains("\"status\":408")));
    }
  }

  @Test
  void http2StreamWithoutWindowIsCutOff() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      client.send(request("/x"), HttpResponse.BodyHandlers.discarding());
      client.sendAsync(request("/flood"), info -> new Deaf());
      over.await();
      assertThat(ended.get()).isInstanceOf(IOException.class).hasMessageContaining("too slow");
      assertThat(client.send(request("/x"), HttpResponse.BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      client.shutdownNow();
    }
  }

  @Test
  void streamEndsWhenItsClientDisconnects() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("GET", "/flood").head();
      wire.chunk();
    }
    over.await();
    assertThat(ended.get()).isInstanceOf(IOException.class);
  }

  @Test
  void failedStreamDoesNotLookComplete() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      wire.request("GET", "/fails").head();
      assertThat(wire.chunk()).hasSize(1);
      assertThat(wire.isClosed()).isTrue(); // no last chunk
    }
  }

  @Test
  void headRequestDoesNotStartAStream() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      assertThat(wire.ask("HEAD", "/events").field("Content-Type")).isEqualTo("text/event-stream");
      assertThat(wire.ask("GET", "/x").status()).isEqualTo(200);
      assertThat(over.getCount()).isOne();
    }
  }

  @Test
  void drainEndsStreamsNormally() throws Exception {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      events.add("one");
      wire.request("GET", "/events").head();
      assertThat(wire.chunk()).hasSize(3);
      assertThat(service.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(wire.chunk()).isEmpty();
      assertThat(ended.get()).isInstanceOf(InterruptedException.class);
      assertThat(wire.ask("GET", "/x").status()).isEqualTo(503);
    }
  }

  /** A subscriber that requests nothing. */
  private static final class Deaf implements HttpResponse.BodySubscriber<Void> {
    @Override
    public CompletionStage<Void> getBody() {
      return new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(List<ByteBuffer> item) {}

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onComplete() {}
  }
}
