package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** HTTP/2 clients that misbehave, and floods of frames. */
@Tag("slow")
final class Http2MisuseTest {
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int END_ALL = RawHttp2Client.END_STREAM | RawHttp2Client.END_HEADERS;

  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final AtomicReference<CountDownLatch> gate = new AtomicReference<>();
  private HttpService service;

  @BeforeEach
  void open() {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofSeconds(60), Duration.ofMillis(700), Duration.ofSeconds(30));
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0).withLimits(limits).withAccessLog(log::add),
            new TestRouteGroup("")
                .named("GET", "/x")
                .route("POST", "/body", KeyScope.READ, request -> ApiResponse.ok(Map.of("size", 1)))
                .route("GET", "/wait", KeyScope.READ, this::waits));
  }

  private ApiResponse waits(ApiRequest request) throws InterruptedException {
    gate.get().await();
    throw new IllegalStateException("too late");
  }

  @AfterEach
  void close() {
    service.close();
  }

  private void isServed() throws IOException {
    assertThat(RawHttp1Client.ask(service, "GET", "/x").status()).isEqualTo(200);
  }

  @Test
  void endlessHeaderClosesTheConnection() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.send(
          RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 1, RawHttp2Client.header("GET", "/x"));
      long sent =
          frames.flood(
              RawHttp2Client.frame(RawHttp2Client.CONTINUATION, 0, 1, new byte[0]), 10_000_000);
      assertThat(sent).isLessThan(10_000_000);
    }
    isServed();
  }

  @Test
  void endlessHeaderAfterAnUpgradeClosesTheConnection() throws IOException {
    ByteArrayOutputStream atOnce = new ByteArrayOutputStream();
    atOnce.writeBytes(
        RawHttp2Client.frame(
            RawHttp2Client.HEADERS,
            RawHttp2Client.END_STREAM,
            3,
            RawHttp2Client.header("GET", "/x")));
    for (int i = 0; i < 40; i++) {
      atOnce.writeBytes(RawHttp2Client.frame(RawHttp2Client.CONTINUATION, 0, 3, new byte[0]));
    }
    try (RawHttp2Client frames = RawHttp2Client.upgraded(service, atOnce.toByteArray())) {
      RawHttp2Client.Frame last = frames.skipUpgrade().next(RawHttp2Client.GOAWAY);
      assertThat(last.error()).isEqualTo(ENHANCE_YOUR_CALM);
      assertThat(frames.next(-1).type()).isEqualTo(-1);
    }
    isServed();
  }

  @Test
  void headerInSeveralFramesIsRead() throws IOException {
    byte[] header = RawHttp2Client.header("GET", "/x");
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.send(RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 1, header);
      for (int i = 1; i < 32; i++) {
        frames.send(RawHttp2Client.CONTINUATION, 0, 1, new byte[0]);
      }
      frames.send(RawHttp2Client.CONTINUATION, RawHttp2Client.END_HEADERS, 1, new byte[0]);
      assertThat(frames.answer(1)).contains("reached");
      assertThat(frames.get(3, "/x").answer(3)).contains("reached");
    }
  }

  @Test
  void slowHeaderTimesOut() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.get(1, "/x").answer(1);
      frames.send(
          RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 3, RawHttp2Client.header("GET", "/x"));
      assertThat(frames.next(RawHttp2Client.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
    }
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.write(new byte[] {0, 0, 9, RawHttp2Client.HEADERS, END_ALL, 0, 0, 0, 1, (byte) 0x82});
      assertThat(frames.next(RawHttp2Client.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
    }
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      assertThat(wire.send("PRI * HTTP/2.0\r\n").isClosed()).isTrue();
    }
  }

  @Test
  void connectionWithoutASlowHeaderStaysOpen() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service);
        RawHttp1Client other = RawHttp1Client.to(service)) {
      frames.get(1, "/x").answer(1);
      other.send("GET /x");
      assertThat(other.read(false).status()).as("after the timeout").isEqualTo(408);
      assertThat(frames.get(3, "/x").answer(3)).contains("reached");
    }
  }

  @Test
  void tooLargeHeaderIsRefusedOnItsStreamOnly() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      byte[] large = RawHttp2Client.header("GET", "/x", "x-big", "x".repeat(20_000));
      frames.send(
          RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 1, Arrays.copyOf(large, 16_000));
      frames.send(
          RawHttp2Client.CONTINUATION,
          RawHttp2Client.END_HEADERS,
          1,
          Arrays.copyOfRange(large, 16_000, large.length));
      assertThat(frames.answer(1)).contains("HEADERS_TOO_LARGE");
      assertThat(frames.get(3, "/x").answer(3)).contains("reached");
    }
    await().untilAsserted(() -> assertThat(log).anyMatch(line -> line.contains("\"status\":431")));
  }

  @Test
  void headerThatDecompressesToTooMuchIsRefused() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      ByteArrayOutputStream header = new ByteArrayOutputStream();
      header.writeBytes(RawHttp2Client.header("GET", "/x"));
      header.write(0x40); // stored in the dynamic table as number 62 (RFC 7541, 6.2.1 and 2.3.3)
      header.write(12);
      header.writeBytes("x-request-id".getBytes(StandardCharsets.US_ASCII));
      byte[] length = {127, (byte) (4000 - 127 & 127 | 128), (byte) (4000 - 127 >> 7)};
      header.writeBytes(length);
      header.writeBytes("y".repeat(4000).getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < 10_000; i++) {
        header.write(0x80 | 62);
      }
      frames.send(RawHttp2Client.HEADERS, END_ALL, 1, header.toByteArray());
      assertThat(frames.answer(1)).contains("HEADERS_TOO_LARGE");
      assertThat(frames.get(3, "/x").answer(3)).contains("reached");
    }
  }

  @Test
  void farTooLargeHeaderClosesTheConnection() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.send(
          RawHttp2Client.HEADERS, RawHttp2Client.END_STREAM, 1, RawHttp2Client.header("GET", "/x"));
      for (int i = 0; i < 5; i++) {
        frames.send(RawHttp2Client.CONTINUATION, 0, 1, new byte[16_000]);
      }
      assertThat(frames.next(RawHttp2Client.GOAWAY).error()).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  @Test
  void invalidPathFailsItsStreamOnly() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      int stream = 1;
      for (String path : new String[] {"/a\\b", "/%", "/a\u0000", "/a b", "/x?a b", "x", "/é"}) {
        assertThat(frames.get(stream, path).answer(stream)).as(path).contains("\"kind\"");
        stream += 2;
      }
      assertThat(frames.get(stream, "/x").answer(stream)).contains("reached");
    }
  }

  @Test
  void resetRequestIsNotLoggedAsAnError() throws Exception {
    gate.set(new CountDownLatch(1));
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.get(1, "/wait");
      frames.send(RawHttp2Client.HEADERS, RawHttp2Client.END_HEADERS, 3, post());
      frames.send(RawHttp2Client.DATA, 0, 3, new byte[] {'['});
      await().until(() -> service.running() == 2);
      byte[] cancel = {0, 0, 0, 8};
      frames
          .send(RawHttp2Client.RST_STREAM, 0, 1, cancel)
          .send(RawHttp2Client.RST_STREAM, 0, 3, cancel);
      assertThat(frames.get(5, "/x").answer(5)).contains("reached");
      gate.get().countDown();
      await().until(() -> log.size() == 3);
      assertThat(log).filteredOn(line -> line.contains("\"status\":499")).hasSize(2);
      assertThat(log).noneMatch(line -> line.contains("INTERNAL"));
      assertThat(frames.get(7, "/x").answer(7)).contains("reached");
    }
  }

  private static byte[] post() {
    return RawHttp2Client.header("POST", "/body", "content-type", "application/json");
  }

  @Test
  void slowBodyTimesOut() throws Exception {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.send(RawHttp2Client.HEADERS, RawHttp2Client.END_HEADERS, 1, post());
      frames.send(RawHttp2Client.DATA, 0, 1, new byte[] {'['});
      assertThat(frames.answer(1)).contains("REQUEST_TIMEOUT");
      assertThat(frames.get(3, "/x").answer(3)).contains("reached");
    }
    // the line is written after the answer
    await().untilAsserted(() -> assertThat(log).anyMatch(line -> line.contains("\"status\":408")));
  }

  @Test
  void endlessEmptyDataFramesAreRefused() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      frames.send(RawHttp2Client.HEADERS, RawHttp2Client.END_HEADERS, 1, post());
      byte[] empty = RawHttp2Client.frame(RawHttp2Client.DATA, 0, 1, new byte[0]);
      assertThat(frames.flood(empty, 10_000_000)).isLessThan(10_000_000);
    }
    isServed();
  }

  @Test
  void unreadPingAndSettingsResponsesAreNotKept() throws IOException {
    long before = used();
    try (RawHttp2Client pings = RawHttp2Client.to(service);
        RawHttp2Client settings = RawHttp2Client.to(service)) {
      Thread.startVirtualThread(
          () ->
              pings.flood(
                  RawHttp2Client.frame(RawHttp2Client.PING, 0, 0, new byte[8]), 10_000_000));
      Thread.startVirtualThread(
          () ->
              settings.flood(
                  RawHttp2Client.frame(RawHttp2Client.SETTINGS, 0, 0, new byte[0]), 10_000_000));
      isServed();
      await().pollDelay(Duration.ofSeconds(1)).until(() -> used() - before < 20_000_000);
      isServed();
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  void rapidResetClosesTheConnection() throws IOException {
    try (RawHttp2Client frames = RawHttp2Client.to(service)) {
      for (int i = 0; i < 2000; i++) {
        frames.get(2 * i + 1, "/x");
        frames.send(RawHttp2Client.RST_STREAM, 0, 2 * i + 1, new byte[] {0, 0, 0, 8});
      }
      RawHttp2Client.Frame last = frames.next(RawHttp2Client.GOAWAY);
      assertThat(last.type() < 0 || last.error() == ENHANCE_YOUR_CALM).isTrue();
    } catch (IOException e) {
      assertThat(e).isInstanceOf(SocketException.class);
    }
    isServed();
  }
}
