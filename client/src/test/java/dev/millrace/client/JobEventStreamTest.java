package dev.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.api.So1State;
import dev.millrace.api.SseEvent;
import dev.millrace.client.error.ApiException;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Following a job across broken connections. */
class JobEventStreamTest {
  private static final UUID JOB = new UUID(1, 1);
  private static final String EVENTS = "GET /api/jobs/.*/events";

  private final ScriptedServer api = new ScriptedServer();
  private final CountDownLatch open = new CountDownLatch(1);
  private final MillraceClient client = MillraceClient.at(api.uri());

  @AfterEach
  void close() {
    open.countDown();
    client.close();
    api.close();
  }

  private static String status(int id, String state) {
    return "id: " + id + "\nevent: status\ndata: {\"state\":\"" + state + "\"}\n\n";
  }

  private static String log(int id, String line) {
    return "id: "
        + id
        + "\nevent: log\ndata: {\"line\":\""
        + line
        + "\",\"cursor\":"
        + id
        + "}\n\n";
  }

  @Test
  void brokenStreamResumesAfterTheLastEvent() {
    api.on(
        EVENTS,
        ScriptedServer.stream(
            null, "retry: 1\n\n", status(1, "pending"), log(2, "one"), "id: 3\nevent: "),
        ScriptedServer.text(503, ""),
        ScriptedServer.stream(null, ": alive\n\n", status(3, "running")),
        ScriptedServer.stream(open, log(4, "two"), status(5, "success")));

    List<String> seen = new ArrayList<>();
    try (JobEventStream events = client.so1().events(JOB, 0L)) {
      events.forEachRemaining(event -> seen.add(event.id() + event.event()));
      assertThat(events.isEnded()).isTrue();
    }

    assertThat(seen).containsExactly("1status", "2log", "3status", "4log", "5status");
    List<ScriptedServer.ReceivedRequest> requests = api.seen(EVENTS);
    assertThat(requests)
        .extracting(one -> one.header("Last-Event-ID"))
        .containsExactly(null, "2", "2", "3");
    assertThat(requests)
        .extracting(ScriptedServer.ReceivedRequest::query)
        .containsExactly("cursor=0", null, null, null);
  }

  @Test
  void finalStatusHasTheErrorOfTheJob() {
    api.on(
        EVENTS,
        ScriptedServer.stream(
            open,
            "id: 9\nevent: status\ndata: {\"state\":\"failed\",\"error\":{\"code\":\"JOB_FAILED\","
                + "\"message\":\"no paper\"}}\n\n"));

    try (JobEventStream events = client.so1().events(JOB, null)) {
      SseEvent last = events.next();
      assertThat(last.state()).contains(So1State.FAILED);
      assertThat(last.error().orElseThrow().message()).isEqualTo("no paper");
      assertThat(events.hasNext()).isFalse();
    }
  }

  @Test
  void noContentEndsTheStream() {
    api.on(
        EVENTS,
        ScriptedServer.stream(null, "retry: 1\n\n", log(8, "x")),
        ScriptedServer.text(204, ""));

    try (JobEventStream events = client.so1().events(JOB, 7L)) {
      assertThat(events.next().line()).contains("x");
      assertThat(events.hasNext()).isFalse();
    }
  }

  @Test
  void unknownJobIsAnErrorAtOnce() {
    api.on(
        EVENTS,
        ScriptedServer.json(
            404,
            JsonObject.create()
                .put("error", JsonObject.create().put("code", "NOT_FOUND").put("message", "no"))));

    try (JobEventStream events = client.so1().events(JOB, null)) {
      assertThatThrownBy(events::hasNext).hasMessageContaining("NOT_FOUND");
    }
    assertThat(api.seen(EVENTS)).hasSize(1);
  }

  @Test
  void unavailableServerIsGivenUpAfterTenMinutes() {
    api.on(EVENTS, ScriptedServer.text(503, ""));
    FakeTimeSource time = new FakeTimeSource();
    try (MillraceClient other = api.client(time);
        JobEventStream events = other.so1().events(JOB, null)) {
      assertThatThrownBy(events::hasNext).isInstanceOf(ApiException.class);
      assertThat(events.hasNext()).isFalse();
    }
    assertThat(time.waits).containsOnly(Duration.ofSeconds(2));
    assertThat(time.nanos())
        .as("ten minutes")
        .isBetween(Duration.ofSeconds(600).toNanos(), Duration.ofSeconds(605).toNanos());
  }

  @Test
  void streamThatBreaksRepeatedlyButSendsLinesIsNotGivenUp() {
    ScriptedServer.Script[] scripts = new ScriptedServer.Script[20];
    Arrays.fill(scripts, ScriptedServer.stream(null, "retry: 60000\n", ": alive\n\n"));
    scripts[19] = ScriptedServer.stream(open, status(1, "success"));
    api.on(EVENTS, scripts);
    FakeTimeSource time = new FakeTimeSource();
    try (MillraceClient other = api.client(time);
        JobEventStream events = other.so1().events(JOB, null)) {
      assertThat(events.next().state()).contains(So1State.SUCCESS);
    }
    assertThat(time.nanos())
        .as("19 pauses of a minute")
        .isEqualTo(Duration.ofMinutes(19).toNanos());
  }

  @Test
  void pollDoesNotWaitForAConnectionBeyondItsLimit() {
    CountDownLatch answer = new CountDownLatch(1);
    api.on(EVENTS, ScriptedServer.after(answer, ScriptedServer.stream(open, log(1, "a"))));

    try (JobEventStream events = client.so1().events(JOB, null)) {
      long start = System.nanoTime();
      assertThat(events.poll(Duration.ZERO)).isEmpty();
      assertThat(events.poll(Duration.ofMillis(20))).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
      answer.countDown();
      assertThat(events.poll(Duration.ofSeconds(20)).orElseThrow().line()).contains("a");
    }
    assertThat(api.seen(EVENTS)).as("the same connection").hasSize(1);
  }

  @Test
  void pollReturnsInTimeAndDrainsWaitingEvents() {
    api.on(EVENTS, ScriptedServer.stream(open, log(1, "a") + log(2, "b")));

    try (JobEventStream events = client.so1().events(JOB, null)) {
      assertThat(events.poll(Duration.ofSeconds(20)).orElseThrow().line()).contains("a");
      assertThat(events.poll(Duration.ofSeconds(20)).orElseThrow().line()).contains("b");
      assertThat(events.poll(Duration.ZERO)).isEmpty();
      assertThat(events.poll(Duration.ofMillis(5))).isEmpty();
      assertThat(events.lastEventId()).isEqualTo("2");
    }
  }

  @Test
  void closeWakesAWaitingReader() throws InterruptedException {
    api.on(EVENTS, ScriptedServer.stream(open, log(1, "a")));
    JobEventStream events = client.so1().events(JOB, null);
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Thread.startVirtualThread(
        () -> {
          events.next();
          first.countDown();
          assertThat(events.hasNext()).isFalse();
          done.countDown();
        });

    assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
    events.close();
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
  }
}
