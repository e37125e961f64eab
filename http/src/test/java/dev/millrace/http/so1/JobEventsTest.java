package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.so1.SseTestClient.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The event stream of a job, over HTTP. */
@Tag("slow")
class JobEventsTest {
  private final So1TestServer service = new So1TestServer();

  @AfterEach
  void close() {
    service.close();
  }

  private static List<Long> ids(List<Event> events) {
    return events.stream().map(Event::id).toList();
  }

  /** Every id from {@code first} to {@code last}, once and in order. */
  private static void assertWhole(List<Event> events, long first, long last) {
    long expected = first;
    for (Event event : events) {
      assertThat(event.id()).isEqualTo(expected++);
    }
    assertThat(expected - 1).isEqualTo(last);
  }

  private JobId running(int lines) {
    JobId id = service.submit(JobSpec.prompt("generate", "Hello"));
    Claim claim = service.claim();
    for (int i = 1; i <= lines; i++) {
      service.store.log(claim, "info", "line " + i);
    }
    return id;
  }

  private void complete(JobId id) {
    Claim claim = service.store.findClaim(id, 1, 1).orElseThrow();
    service.store.complete(claim, TaskResult.of("done"));
  }

  private long last(JobId id) {
    return service.store.find(id).orElseThrow().lastEvent();
  }

  @Test
  void everyLogEntryIsOneEvent() throws Exception {
    JobId id = service.submit(JobSpec.prompt("generate", "Hello"));
    try (SseTestClient listener = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      assertThat(listener.status).isEqualTo(200);
      Event first = listener.next();
      assertThat(first).isEqualTo(status(1, "pending"));
      Claim claim = service.claim();
      service.store.log(claim, "info", "half way");
      List<Event> live = new ArrayList<>();
      while (live.isEmpty() || !live.getLast().data().toString().contains("half way")) {
        live.add(listener.next());
      }
      assertThat(live).filteredOn(event -> event.name().equals("status")).hasSize(1);
      assertThat(live)
          .filteredOn(event -> event.name().equals("status"))
          .extracting(Event::state)
          .containsExactly("running");
      assertThat(live.getLast().data().string("line")).isEqualTo("task 1/1 [INFO] half way");
      assertThat(live.getLast().data().integer("cursor")).isEqualTo(live.getLast().id());
      service.store.complete(claim, TaskResult.of("Hello back"));
      List<Event> rest = listener.rest();
      assertThat(listener.endedInOrder()).isTrue();
      assertThat(rest.getLast().data().toString())
          .isEqualTo("{\"state\":\"success\",\"output\":{\"text\":\"Hello back\"}}");
      live.addFirst(first);
      live.addAll(rest);
      assertWhole(live, 1, last(id));
    }
  }

  private static Event status(long id, String state) {
    return new Event(id, "status", JsonObject.create().put("state", state));
  }

  @Test
  void finalStatusHasTheError() throws Exception {
    JobId id = running(0);
    Claim claim = service.store.findClaim(id, 1, 1).orElseThrow();
    service.store.fail(
        claim, Failure.permanent("no such voice in /srv/voices/a; Bearer abc.def.ghi.jkl.m"));
    try (SseTestClient listener =
        SseTestClient.to(service, So1TestServer.path(id) + "/events?cursor=0")) {
      Event last = listener.rest().getLast();
      assertThat(last.state()).isEqualTo("failed");
      assertThat(last.data().object("error").string("code")).isEqualTo("JOB_FAILED");
      assertThat(last.data().object("error").string("message"))
          .contains("no such voice in [redacted]; [redacted]");
    }
  }

  @Test
  void lineSaysThatTheNextStageWaitsForApproval() throws Exception {
    JobId id =
        EntityId.parse(
                service
                    .post(
                        "/api/jobs",
                        """
                        {"action":"pipeline","inputs":{"stages":[{"type":"generate","tasks":["One."]},
                          {"type":"generate","gate":true,"tasks":["Two."]}]}}
                        """)
                    .job()
                    .string("id"))
            .flatMap(EntityId::of)
            .orElseThrow()
            .job();
    String waits = "stage 1 complete; stage 2 waits for approval";
    try (SseTestClient listener = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      assertThat(listener.next()).isEqualTo(status(1, "pending"));
      service.store.complete(service.claim(), TaskResult.of("one"));
      Event event = listener.next();
      while (!event.data().toString().contains("approval")) {
        event = listener.next();
      }
      assertThat(event.data().string("line")).isEqualTo(waits);
    }
    JsonObject job = service.get(So1TestServer.path(id)).job();
    assertThat(job.string("state")).isEqualTo("running");
    assertThat(job.list("logs")).last().isEqualTo(waits);
    assertThat(service.get(So1TestServer.path(id) + "/logs").json().toString()).contains(waits);
    try (SseTestClient late = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      Event event = late.next();
      while (event.id() < last(id)) {
        event = late.next();
      }
      assertThat(event.data().string("line")).isEqualTo(waits);
    }
  }

  @Test
  void pauseIsNotAState() throws Exception {
    JobId id = running(1);
    service.store.pause(id, Cause.user("me", null));
    service.store.resume(id, Cause.user("me", null));
    service.store.abort(id, Cause.user("me", "enough"));
    try (SseTestClient listener =
        SseTestClient.to(service, So1TestServer.path(id) + "/events?cursor=0")) {
      List<Event> all = listener.rest();
      assertWhole(all, 1, last(id));
      assertThat(all)
          .filteredOn(event -> event.name().equals("status"))
          .extracting(Event::state)
          .containsExactly("pending", "running", "cancelled");
    }
  }

  @Test
  void lateClientGetsTheFinalStatusOrTheEventsAfterItsCursor() throws Exception {
    JobId id = running(200);
    complete(id);
    long last = last(id);
    try (SseTestClient late = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      assertThat(late.rest())
          .extracting(Event::id, Event::name)
          .containsExactly(tuple(last, "status"));
    }
    try (SseTestClient cursor =
        SseTestClient.to(service, So1TestServer.path(id) + "/events?cursor=7")) {
      assertWhole(cursor.rest(), 8, last);
    }
    try (SseTestClient header =
        SseTestClient.to(service, So1TestServer.path(id) + "/events", "Last-Event-ID", "100")) {
      assertWhole(header.rest(), 101, last);
    }
    try (SseTestClient both =
        SseTestClient.to(
            service, So1TestServer.path(id) + "/events?cursor=150", "Last-Event-ID", "100")) {
      assertThat(both.next().id()).as("the header is newer").isEqualTo(101);
    }
  }

  @Test
  void reconnectAfterTheFinalStatusGetsNoContent() throws Exception {
    JobId id = running(0);
    complete(id);
    String path = So1TestServer.path(id) + "/events";
    String last = Long.toString(last(id));
    for (String query : List.of("", "?cursor=0", "?cursor=" + last)) {
      assertThat(service.get(path + query, "Last-Event-ID", last).status())
          .as(query)
          .isEqualTo(204);
    }
    try (SseTestClient again = SseTestClient.to(service, path + "?cursor=" + last)) {
      assertThat(again.rest()).extracting(Event::state).containsExactly("success");
    }
  }

  @Test
  void entriesAfterTheFinalStatusAreNotSent() throws Exception {
    JobId id = running(0);
    complete(id);
    long end = last(id);
    service.store.replaceMetadata(
        id, 0, 0, JsonObject.create().put("a", 1L), Cause.user("me", null));
    assertThat(last(id)).isGreaterThan(end);
    try (SseTestClient late = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      assertThat(ids(late.rest())).containsExactly(end);
    }
    try (SseTestClient cursor =
        SseTestClient.to(service, So1TestServer.path(id) + "/events?cursor=1")) {
      assertWhole(cursor.rest(), 2, end);
    }
    String path = So1TestServer.path(id) + "/events";
    for (long seen = end; seen <= last(id); seen++) {
      assertThat(service.get(path, "Last-Event-ID", Long.toString(seen)).status()).isEqualTo(204);
    }
    try (SseTestClient before =
        SseTestClient.to(service, path, "Last-Event-ID", Long.toString(end - 1))) {
      assertThat(ids(before.rest())).containsExactly(end);
    }
  }

  @Test
  void invalidCursorIsRefused() throws Exception {
    JobId id = running(0);
    String path = So1TestServer.path(id) + "/events";
    for (String wrong : List.of("x", "-1", "1.5", "99999999999999999999")) {
      assertThat(service.get(path, "Last-Event-ID", wrong).error())
          .as(wrong)
          .startsWith("VALIDATION_ERROR")
          .contains("Last-Event-ID");
      assertThat(service.get(path + "?cursor=" + wrong).error())
          .as(wrong)
          .startsWith("VALIDATION_ERROR")
          .contains("cursor");
    }
  }

  @Test
  void everyEntryComesOnceAcrossReconnects() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    JobId id = running(50);
    Thread writer = Thread.ofVirtual().start(() -> write(id, 3_000, random.split()));
    List<Event> all = new ArrayList<>();
    boolean ended = false;
    while (!ended) {
      String last = all.isEmpty() ? "0" : Long.toString(all.getLast().id());
      boolean header = random.nextBoolean();
      String path = So1TestServer.path(id) + "/events" + (header ? "" : "?cursor=" + last);
      String[] fields = header ? new String[] {"Last-Event-ID", last} : new String[0];
      try (SseTestClient listener = SseTestClient.to(service, path, fields)) {
        for (int most = random.nextInt(1, 400); most > 0 && !ended; most--) {
          Event event = listener.next();
          all.add(event);
          ended = event.data().has("state") && event.state().equals("success");
        }
      }
    }
    writer.join();
    assertThat(ids(all)).as("seed %d", seed).doesNotHaveDuplicates();
    assertThat(all.getLast().id()).as("seed %d", seed).isEqualTo(last(id)).isEqualTo(all.size());
  }

  /** Writes lines in bursts, and ends the job. */
  private void write(JobId id, int lines, SplittableRandom random) {
    Claim claim = service.store.findClaim(id, 1, 1).orElseThrow();
    for (int i = 0; i < lines; i++) {
      service.store.log(claim, "info", "more ".repeat(random.nextInt(1, 40)) + i);
      if (random.nextInt(20) == 0) {
        Thread.yield();
      }
    }
    complete(id);
  }

  @Test
  void allStreamsGetTheSameEvents() throws Exception {
    JobId id = running(LogTail.ENTRIES + 200); // more than the tail in memory
    Thread writer = Thread.ofVirtual().start(() -> write(id, 800, new SplittableRandom(1)));
    List<List<Event>> seen = new ArrayList<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      List<Event> mine = new ArrayList<>();
      seen.add(mine);
      readers.add(Thread.ofVirtual().start(() -> read(id, mine)));
    }
    writer.join();
    for (Thread reader : readers) {
      reader.join();
    }
    long last = last(id);
    assertThat(seen).allSatisfy(events -> assertWhole(events, 1, last));
    Awaitility.await().untilAsserted(() -> assertThat(service.routes.following()).isZero());
  }

  private void read(JobId id, List<Event> into) {
    try (SseTestClient listener =
        SseTestClient.to(service, So1TestServer.path(id) + "/events?cursor=0")) {
      into.addAll(listener.rest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void streamWithoutEventsSendsHeartbeats() throws Exception {
    try (So1TestServer quick = new So1TestServer(Duration.ofMillis(50), HttpLimits.DEFAULT)) {
      JobId id = quick.submit(JobSpec.prompt("generate", "Hello"));
      try (SseTestClient listener = SseTestClient.to(quick, So1TestServer.path(id) + "/events")) {
        assertThat(listener.next().state()).isEqualTo("pending");
        Thread.ofVirtual()
            .start(
                () ->
                    Awaitility.await()
                        .until(
                            () ->
                                listener.comments.size() >= 2
                                    && quick.store.abort(id, Cause.user("me", null)).isDone()));
        assertThat(listener.next().state()).isEqualTo("cancelled");
        assertThat(listener.comments).hasSizeGreaterThanOrEqualTo(2).containsOnly(": ");
      }
    }
  }

  @Test
  void feedOfADisconnectedClientIsClosed() throws Exception {
    try (So1TestServer quick = new So1TestServer(Duration.ofMillis(20), HttpLimits.DEFAULT)) {
      JobId id = quick.submit(JobSpec.prompt("generate", "Hello"));
      SseTestClient listener = SseTestClient.to(quick, So1TestServer.path(id) + "/events");
      assertThat(listener.next().id()).isOne();
      assertThat(quick.routes.following()).isOne();
      listener.socket.setSoLinger(true, 0); // closes with a reset
      listener.close();
      Awaitility.await().untilAsserted(() -> assertThat(quick.routes.following()).isZero());
    }
  }

  @Test
  void clientThatDoesNotReadIsDisconnected() throws Exception {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofMillis(500));
    try (So1TestServer quick = new So1TestServer(Duration.ofSeconds(15), limits)) {
      List<TaskSpec> tasks = Collections.nCopies(10, TaskSpec.of("Hello"));
      JobId id =
          quick.submit(JobSpec.builder().stages(List.of(StageSpec.of("generate", tasks))).build());
      List<Claim> claims = // one task alone may not log as much as a connection buffers
          quick.store.claim(new ClaimRequest(Set.of("generate"), tasks.size(), "worker", null));
      try (SseTestClient slow =
              new SseTestClient(quick.uri(So1TestServer.path(id) + "/events"), 4096);
          SseTestClient other = SseTestClient.to(quick, So1TestServer.path(id) + "/events")) {
        for (int i = 0; i < 2_000; i++) {
          quick.store.log(claims.get(i % claims.size()), "info", "x".repeat(4_000));
        }
        claims.forEach(claim -> quick.store.complete(claim, TaskResult.of("done")));
        assertThat(other.rest().getLast().state()).isEqualTo("success");
        Awaitility.await().untilAsserted(() -> assertThat(quick.routes.following()).isZero());
        assertThatThrownBy(slow::rest).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void stopOfTheServerEndsStreamsInOrder() throws Exception {
    JobId id = running(3);
    try (SseTestClient listener = SseTestClient.to(service, So1TestServer.path(id) + "/events")) {
      assertThat(listener.next().id()).isOne();
      assertThat(service.http.drain(Duration.ofSeconds(10))).isTrue();
      listener.rest();
      assertThat(listener.endedInOrder()).isTrue();
      assertThat(listener.comments).last().asString().contains("the server is stopping");
    }
  }

  @Test
  void streamOfADeletedJobEnds() throws Exception {
    JobId id = running(10_000);
    try (SseTestClient listener =
        new SseTestClient(service.uri(So1TestServer.path(id) + "/events"), 4096)) {
      assertThat(listener.next().id()).isOne();
      complete(id);
      assertThat(service.store.delete(id).isDone()).isTrue();
      List<Event> rest = listener.rest();
      assertThat(listener.endedInOrder()).isTrue();
      boolean whole = rest.getLast().data().has("state");
      assertThat(whole || listener.comments.getLast().contains("the job was deleted")).isTrue();
      assertThat(service.get(So1TestServer.path(id) + "/events").status()).isEqualTo(404);
    }
  }
}
