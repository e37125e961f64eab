package dev.millrace.http.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.VerifyRequest;
import dev.millrace.server.infer.VerifyResult;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finished tasks run again while their client waits; with a model: {@link VerifiedModelTest}. */
@Timeout(60)
class VerifyRouteTest {
  private static final int LONG_SECONDS = 30;

  private final VerifyTestServer server = new VerifyTestServer(Duration.ofMillis(50));
  private final List<VerifyRequest> asked = new ArrayList<>();

  @AfterEach
  void close() {
    server.close();
  }

  private void answering(VerifyResult result) {
    server.models.attach(
        request -> {
          asked.add(request);
          return result;
        });
  }

  private static JsonObject verdict(HttpResponse<String> stream) {
    assertThat(stream.statusCode()).as(stream.body()).isEqualTo(200);
    assertThat(stream.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    String mark = "event: verdict\ndata: ";
    assertThat(stream.body()).endsWith("\n\n").containsOnlyOnce(mark);
    return Json.object(
        stream.body().substring(stream.body().indexOf(mark) + mark.length()).strip());
  }

  @Test
  void verdictSaysThatTheBytesAreTheSame() throws Exception {
    answering(new VerifyResult(true, true, "the same 6 characters"));
    UUID task = server.completed("generate", true);
    assertThat(verdict(server.verify(task)))
        .isEqualTo(
            Json.object("{\"same\":true,\"repeated\":true,\"detail\":\"the same 6 characters\"}"));
    VerifyRequest request = asked.getFirst();
    assertThat(request.type()).isEqualTo("generate");
    assertThat(request.input()).isEqualTo("once upon");
    assertThat(request.terms()).isEqualTo(VerifyTestServer.TERMS);
    assertThat(request.result().text()).isEqualTo("a time");
  }

  @Test
  void verdictSaysWhatDiffers() throws Exception {
    answering(new VerifyResult(false, true, "differs from character 3 on: \"\n\u2603\""));
    assertThat(verdict(server.verify(server.completed("generate", true))))
        .isEqualTo(
            JsonObject.create()
                .put("same", false)
                .put("repeated", true)
                .put("detail", "differs from character 3 on: \"\n\u2603\""));
  }

  @Test
  void taskThatCannotBeRepeatedHereIsNoDifference() throws Exception {
    answering(VerifyResult.notRepeated("cannot be repeated here: the model file changed"));
    JsonObject verdict = verdict(server.verify(server.completed("generate", true)));
    assertThat(verdict.flag("same", true)).isFalse();
    assertThat(verdict.flag("repeated", true)).isFalse();
  }

  private void assertRefused(UUID task, int status, String code, String part) throws Exception {
    HttpResponse<String> refused = server.verify(task);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
    assertThat(Json.object(refused.body()).string("code")).isEqualTo(code);
    assertThat(Json.object(refused.body()).string("message")).contains(part);
  }

  @Test
  void taskWithoutAResultOfAModelIsRefused() throws Exception {
    answering(new VerifyResult(true, true, ""));
    assertRefused(server.waiting("generate"), 400, "TASK_NOT_COMPLETED", "the task is PENDING");
    assertRefused(server.aborted("crop"), 400, "TASK_NOT_COMPLETED", "the task is ABORTED");
    assertRefused(
        server.completed("run", false), 400, "TASK_NOT_VERIFIABLE", "its type is \"run\"");
    UUID remote = server.completed("embed", false);
    assertRefused(remote, 400, "TASK_NOT_VERIFIABLE", "no model of Millrace");
    assertRefused(UUID.randomUUID(), 404, "TASK_NOT_FOUND", "there is no such task");
    assertThat(asked).isEmpty();
  }

  @Test
  void serverWithoutModelsRefuses() throws Exception {
    UUID task = server.completed("generate", true);
    assertRefused(task, 503, "SERVICE_UNAVAILABLE", "models are being loaded");
    server.models.attach(null);
    assertRefused(task, 400, "TASK_NOT_VERIFIABLE", "this server runs no models");
  }

  @Test
  void streamIsKeptAliveWhileTheTaskRuns() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    server.models.attach(request -> awaiting(end));
    CompletableFuture<HttpResponse<String>> stream =
        server.begin(server.completed("generate", true));
    try (Socket raw = open(server.completed("generate", true))) {
      byte[] seen = new byte[4096];
      StringBuilder text = new StringBuilder();
      while (text.toString().split(": keep-alive").length < 4) { // one at once, others in silence
        int count = raw.getInputStream().read(seen);
        assertThat(count).isPositive();
        text.append(new String(seen, 0, count, StandardCharsets.UTF_8));
      }
      assertThat(text).doesNotContain("verdict");
    }
    end.countDown();
    assertThat(verdict(stream.get(LONG_SECONDS, TimeUnit.SECONDS)).flag("same", false)).isTrue();
  }

  private static VerifyResult awaiting(CountDownLatch end) {
    try {
      end.await();
      return new VerifyResult(true, true, "");
    } catch (InterruptedException e) {
      return VerifyResult.notRepeated("interrupted");
    }
  }

  private Socket open(UUID task) throws IOException {
    Socket socket =
        new Socket(server.service.address().getAddress(), server.service.address().getPort());
    socket.setSoTimeout(LONG_SECONDS * 1000);
    String head =
        "POST /v1/tasks/%s/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
    socket.getOutputStream().write(head.formatted(task).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void clientThatLeavesEndsTheRun() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    server.models.attach(
        request -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            interrupted.countDown();
          }
          return VerifyResult.notRepeated("interrupted");
        });
    try (Socket _ = open(server.completed("generate", true))) {
      assertThat(begun.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(interrupted.getCount()).isEqualTo(1);
    }
    assertThat(interrupted.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** Runs that were refused, or have ended, leave room for others. */
  @Test
  void fewTasksRunAgainAtOnce() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    server.models.attach(
        request -> {
          running.incrementAndGet();
          return awaiting(end);
        });
    UUID task = server.completed("generate", true);
    List<CompletableFuture<HttpResponse<String>>> streams = new ArrayList<>();
    for (int i = 0; i < VerifyRoute.MAX_AT_ONCE; i++) {
      streams.add(server.begin(task));
    }
    await().until(() -> running.get() == VerifyRoute.MAX_AT_ONCE);
    assertRefused(task, 429, "TOO_MANY_REQUESTS", "4 tasks are being verified");
    assertThat(server.verify(task).headers().firstValue("Retry-After")).hasValue("5");
    end.countDown();
    for (CompletableFuture<HttpResponse<String>> stream : streams) {
      verdict(stream.get(LONG_SECONDS, TimeUnit.SECONDS));
    }
    for (int i = 0; i < VerifyRoute.MAX_AT_ONCE + 1; i++) {
      verdict(server.verify(task));
    }
  }
}
