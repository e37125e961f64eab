package dev.millrace.http.webhook;

import static dev.millrace.http.webhook.WebhookFixture.hook;
import static dev.millrace.http.webhook.WebhookFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.job.Webhook.Event;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.task.Failure;
import dev.millrace.http.route.Problem;
import dev.millrace.http.webhook.FakeWebhookReceiver.Request;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class WebhookServiceTest {
  private final WebhookFixture fixture = new WebhookFixture();
  private FakeWebhookReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    receiver = new FakeWebhookReceiver(FakeWebhookReceiver.status(204));
  }

  @AfterEach
  void close() throws IOException {
    fixture.close();
    receiver.close();
  }

  @Test
  void sendsTheEndOfAJobOnceAndSigned() throws Exception {
    fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.requests).hasSize(1);
    Request request = receiver.requests.getFirst();
    assertThat(request.line()).isEqualTo("POST /events?key=1 HTTP/1.1");
    assertThat(request.fields())
        .containsEntry("host", "127.0.0.1:" + receiver.port())
        .containsEntry("content-type", "application/json")
        .containsEntry("user-agent", "Millrace-Webhooks");
    JsonObject json = request.json();
    assertThat(json.string("type")).isEqualTo("job.completed");
    assertThat(json.string("id"))
        .isEqualTo(request.id())
        .startsWith(EntityId.of(id) + ":")
        .isEqualTo(EntityId.of(id) + ":" + fixture.store.find(id).orElseThrow().lastEvent());
    assertThat(json.object("job").string("id")).isEqualTo(EntityId.of(id).toString());
    assertThat(json.object("job").string("status")).isEqualTo("COMPLETED");
    assertThat(json.object("job").string("name")).isEqualTo("told");
    String timestamp = request.fields().get("millrace-timestamp");
    assertThat(Long.parseLong(timestamp)).isEqualTo(fixture.clock.instant().getEpochSecond());
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(
        new SecretKeySpec(WebhookFixture.SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    assertThat(request.fields().get("millrace-signature"))
        .isEqualTo("v1=" + HexFormat.of().formatHex(mac.doFinal(request.body())));
  }

  @Test
  void sendsOnlyTheRequestedEventsInOrder() throws Exception {
    try (FakeWebhookReceiver ends = new FakeWebhookReceiver(FakeWebhookReceiver.status(200))) {
      WebhookService webhooks = fixture.open();
      StageSpec gate =
          StageSpec.builder("work").gate(true).tasks(List.of(TaskSpec.of("y"))).build();
      JobId id =
          fixture.submit(
              List.of(StageSpec.of("work", List.of(TaskSpec.of("x"))), gate),
              hook(receiver.url()),
              hook(ends.url(), Event.FAILED));
      fixture.complete();
      until("the gate is sent", () -> receiver.requests.size() == 1);
      JsonObject sent = receiver.requests.getFirst().json();
      assertThat(sent.string("type")).isEqualTo("stage.waiting");
      assertThat(sent.object("stage").integer("order")).isEqualTo(2);
      assertThat(sent.object("stage").string("status")).isEqualTo("WAITING");
      assertThat(sent.object("job").string("status")).isEqualTo("IN_PROGRESS");
      assertThat(ends.requests).isEmpty();
      fixture.store.approve(id, 2, Cause.user("u", null));
      fixture.fail();
      until("the note is deleted", () -> !fixture.hasNote(id));
      assertThat(receiver.types()).containsExactly("stage.waiting", "job.failed");
      assertThat(ends.types()).containsExactly("job.failed");
      assertThat(ends.requests.getFirst().json().object("job").string("error")).contains("broken");
      assertThat(webhooks.stats().delivered()).isEqualTo(3);
    }
  }

  @Test
  void failedDeliveryIsRetriedWithGrowingDelaysAndTheSameId() {
    receiver.behave(FakeWebhookReceiver.status(500));
    WebhookService webhooks = fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    int[] waits = {5, 10, 20, 40};
    for (int i = 0; i < waits.length; i++) {
      int tries = i + 1;
      until("try " + tries + " is noted", () -> fixture.note(id).contains("\"tries\":" + tries));
      assertThat(receiver.requests).hasSize(tries);
      fixture.step(Duration.ofSeconds(waits[i]).minusMillis(1));
      fixture.step(Duration.ofMillis(1));
    }
    until("the last try", () -> receiver.requests.size() == 5);
    until("the last try is noted", () -> fixture.note(id).contains("\"tries\":5"));
    receiver.behave(FakeWebhookReceiver.status(200));
    fixture.step(Duration.ofHours(1));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.requests.stream().map(Request::id).collect(Collectors.toSet())).hasSize(1);
    assertThat(webhooks.stats().failed()).isEqualTo(5);
    assertThat(webhooks.stats().delivered()).isEqualTo(1);
  }

  @Test
  void eventIsGivenUpAfterADay() {
    receiver.behave(FakeWebhookReceiver.status(503));
    WebhookService webhooks = fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("the first try", () -> fixture.note(id).contains("\"tries\":1"));
    fixture.step(Duration.ofHours(24));
    until("it is given up", () -> !fixture.hasNote(id));
    assertThat(webhooks.stats().givenUp()).isEqualTo(1);
    assertThat(receiver.requests).hasSize(2);
  }

  @Test
  void receiverThatAnswersGoneGetsNoMoreEvents() {
    receiver.behave(FakeWebhookReceiver.status(410));
    WebhookService webhooks = fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.requests).hasSize(1);
    assertThat(webhooks.stats().givenUp()).isEqualTo(1);
  }

  @Test
  void redirectsAreNotFollowed() throws Exception {
    try (FakeWebhookReceiver other = new FakeWebhookReceiver(FakeWebhookReceiver.status(200))) {
      receiver.behave(
          FakeWebhookReceiver.bytes(
              "HTTP/1.1 302 Found\r\nLocation: " + other.url() + "\r\nContent-Length: 0\r\n\r\n"));
      fixture.open();
      JobId id = fixture.done(hook(receiver.url()));
      until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
      assertThat(other.requests).isEmpty();
    }
  }

  @Test
  void invalidResponsesCountAsFailures() {
    List<String> answers =
        List.of(
            "",
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\nContent-",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n".repeat(20),
            "HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
    fixture.open();
    JobId[] id = {fixture.submit(hook(receiver.url()))};
    receiver.behave(FakeWebhookReceiver.bytes(answers.getFirst()));
    fixture.complete();
    for (int i = 1; i <= answers.size(); i++) {
      int tries = i;
      until("try " + tries, () -> fixture.note(id[0]).contains("\"tries\":" + tries));
      if (i < answers.size()) {
        receiver.behave(FakeWebhookReceiver.bytes(answers.get(i)));
        fixture.step(Duration.ofHours(1));
      }
    }
    receiver.behave(
        FakeWebhookReceiver.bytes(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 299 Fine\r\n\r\n" + "z".repeat(200_000)));
    fixture.step(Duration.ofHours(1));
    until("the note is deleted", () -> !fixture.hasNote(id[0]));
  }

  @Test
  void hangingReceiverTimesOutAndBlocksNoOther() throws Exception {
    fixture.settings = fixture.settings.withTimeout(Duration.ofMillis(300));
    try (FakeWebhookReceiver slow = new FakeWebhookReceiver(FakeWebhookReceiver.hangs())) {
      WebhookService webhooks = fixture.open();
      for (int i = 0; i < 50; i++) {
        fixture.done(hook(slow.url()));
      }
      JobId both = fixture.done(hook(slow.url()), hook(receiver.url()));
      until(
          "the other receiver of the same job gets its event", () -> receiver.requests.size() == 1);
      JobId id = fixture.done(hook(receiver.url()));
      until("the event of another job is sent", () -> !fixture.hasNote(id));
      until("the slow one timed out", () -> webhooks.stats().failed() >= 1);
      int asked = slow.requests.size();
      assertThat(asked)
          .as("at most 4 at once")
          .isLessThanOrEqualTo((int) webhooks.stats().failed() + 4);
      assertThat(fixture.hasNote(both)).isTrue();
    }
  }

  @Test
  void slowResponseTimesOut() {
    fixture.settings = fixture.settings.withTimeout(Duration.ofMillis(300));
    receiver.behave(
        (_, out) -> {
          for (int i = 0; i < 10_000; i++) {
            out.write('H');
            out.flush();
            Thread.sleep(20);
          }
        });
    fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
  }

  @Test
  void pendingEventsAreSentAfterACrashWithTheSameIds() {
    receiver.behave(FakeWebhookReceiver.hangs());
    fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("it is in flight", () -> receiver.requests.size() == 1);
    fixture.crash();
    JobId whileDown = fixture.done(hook(receiver.url()));
    receiver.behave(FakeWebhookReceiver.status(200));
    assertThat(fixture.note(id)).isEqualTo("{\"after\":0}");
    fixture.open();
    until("both are sent", () -> !fixture.hasNote(id) && !fixture.hasNote(whileDown));
    assertThat(receiver.requests).hasSize(3);
    List<String> ids = receiver.requests.stream().map(Request::id).toList();
    assertThat(Set.copyOf(ids)).hasSize(2);
    assertThat(ids.stream().filter(ids.getFirst()::equals)).hasSize(2);
  }

  @Test
  void backoffSurvivesACrash() {
    receiver.behave(FakeWebhookReceiver.status(500));
    fixture.open();
    JobId id = fixture.done(hook(receiver.url()));
    until("the first try", () -> fixture.note(id).contains("\"tries\":1"));
    fixture.crash();
    receiver.behave(FakeWebhookReceiver.status(200));
    WebhookService again = fixture.open();
    until("it is known", () -> again.stats().pending() == 1);
    assertThat(receiver.requests).hasSize(1);
    fixture.step(Duration.ofSeconds(5));
    until("the note is deleted", () -> !fixture.hasNote(id));
    assertThat(receiver.requests).hasSize(2);
  }

  @Test
  void forbiddenAddressIsNotCalled() {
    fixture.settings =
        WebhookSettings.of(WebhookAllowList.of(List.of()), WebhookFixture.SECRET)
            .withClock(fixture.clock);
    WebhookService webhooks = fixture.open();
    Webhook hook = hook(receiver.url());
    assertThatThrownBy(() -> webhooks.check(hook))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.INVALID))
        .hasMessageContaining("--webhook-allow");
    JobId id = fixture.done(hook);
    until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
    assertThat(receiver.requests).isEmpty();
  }

  @Test
  void allowedNameDoesNotReachPrivateAddresses() {
    fixture.settings =
        WebhookSettings.of(WebhookAllowList.of(List.of("hooks.example.org")), WebhookFixture.SECRET)
            .withClock(fixture.clock);
    fixture.resolver = _ -> new InetAddress[] {InetAddress.getLoopbackAddress()};
    WebhookService webhooks = fixture.open();
    Webhook hook = hook("http://hooks.example.org:" + receiver.port() + "/x");
    assertThatThrownBy(() -> webhooks.check(hook)).isInstanceOf(Problem.class);
    JobId id = fixture.done(hook);
    until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
    assertThat(receiver.requests).isEmpty();
  }

  @Test
  void checkedAddressIsTheCalledOne() throws Exception {
    AtomicInteger lookups = new AtomicInteger();
    InetAddress allowed = InetAddress.ofLiteral("127.0.0.1");
    InetAddress other = InetAddress.ofLiteral("10.255.255.1");
    fixture.resolver =
        _ -> new InetAddress[] {other, lookups.getAndIncrement() == 0 ? allowed : other};
    fixture.open();
    JobId id = fixture.done(hook("http://rebinding.example:" + receiver.port() + "/x"));
    until("it is sent", () -> !fixture.hasNote(id));
    assertThat(lookups).as("looked up once, and called the address found").hasValue(1);
    assertThat(receiver.requests.getFirst().fields())
        .containsEntry("host", "rebinding.example:" + receiver.port());
  }

  @Test
  void unknownHostIsAcceptedAndRetried() {
    fixture.resolver =
        host -> {
          throw new UnknownHostException(host);
        };
    WebhookService webhooks = fixture.open();
    Webhook hook = hook("http://later.example/");
    webhooks.check(hook);
    JobId id = fixture.done(hook);
    until("it counts as a failure", () -> fixture.note(id).contains("\"tries\":1"));
  }

  @Test
  void eventsBeyondTheMemoryAreFoundInTheNotes() throws Exception {
    fixture.capacity = 20;
    try (FakeWebhookReceiver dead = new FakeWebhookReceiver(FakeWebhookReceiver.status(500))) {
      for (int i = 0; i < 100; i++) {
        fixture.done(hook(dead.url()));
      }
      JobId[] alive = new JobId[50];
      for (int i = 0; i < alive.length; i++) {
        alive[i] = fixture.done(hook(receiver.url()));
      }
      WebhookService webhooks = fixture.open();
      until(
          "all working receivers get their event, and all others are tried",
          () -> {
            fixture.step(Duration.ofSeconds(30));
            assertThat(webhooks.stats().pending()).isLessThanOrEqualTo(fixture.capacity + 1);
            return List.of(alive).stream().noneMatch(fixture::hasNote)
                && dead.requests.stream().map(Request::id).distinct().count() == 100;
          });
      assertThat(receiver.requests.stream().map(Request::id).distinct()).hasSize(50);
    }
  }

  @Test
  void noteWithoutAJobIsDeletedAfterAWhile() {
    Instant now = fixture.clock.instant();
    JobId coming = id(now);
    JobId never = id(now.minus(Duration.ofMinutes(90)));
    fixture.store.writeNote(NoteStore.WEBHOOKS, coming.value(), "{\"after\":0}");
    fixture.store.writeNote(NoteStore.WEBHOOKS, never.value(), "{\"after\":0}");
    WebhookService webhooks = fixture.open();
    until("the old one is deleted", () -> !fixture.hasNote(never));
    until("the new one is known", () -> webhooks.stats().pending() == 1);
    assertThat(fixture.hasNote(coming)).isTrue();
    fixture.step(Duration.ofMinutes(59));
    JobId sent = fixture.done(hook(receiver.url()));
    until("another event is sent", () -> !fixture.hasNote(sent));
    assertThat(fixture.hasNote(coming)).isTrue();
    fixture.step(Duration.ofMinutes(2));
    until("the other is deleted without a restart", () -> !fixture.hasNote(coming));
  }

  private static JobId id(Instant at) {
    return JobId.of(at.getEpochSecond() * 1_000_000, 1, 0);
  }

  @Test
  void unreadableJobBlocksNoOther() {
    JobId bad = fixture.submit(hook(receiver.url()));
    fixture.complete();
    JobStore whole = fixture.store;
    AtomicInteger checks = new AtomicInteger();
    fixture.store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("find") && bad.equals(arguments[0])) {
                    throw checks.incrementAndGet() % 2 == 1
                        ? new AssertionError("a bug of this server")
                        : new JobException("its log is a directory", new IOException("damaged"));
                  }
                  return method.invoke(whole, arguments);
                });
    fixture.open();
    for (int check = 1; check <= 4; check++) {
      int reached = check;
      until("check " + check, () -> checks.get() == reached);
      JobId sent = fixture.done(hook(receiver.url()));
      until("another event is sent", () -> !fixture.hasNote(sent));
      assertThat(checks).as("it waits for its retry delay").hasValue(check);
      fixture.step(Duration.ofMinutes(1));
    }
    assertThat(fixture.hasNote(bad)).isTrue();
  }

  @Test
  void longErrorIsTruncatedBetweenCharacters() {
    fixture.open();
    JobId id = fixture.submit(hook(receiver.url()));
    fixture.store.fail(fixture.claim(), Failure.permanent("x😀".repeat(1_500)));
    until("the note is deleted", () -> !fixture.hasNote(id));
    String error = receiver.requests.getFirst().json().object("job").string("error");
    assertThat(error).endsWith("…").hasSizeBetween(2_000, 2_001);
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(error)).isTrue();
  }

  @Test
  void jobWithoutWebhooksLeavesNoNote() {
    WebhookService webhooks = fixture.open();
    fixture.done();
    JobId sent = fixture.done(hook(receiver.url()));
    until("the other event is sent", () -> !fixture.hasNote(sent));
    assertThat(webhooks.stats().delivered()).isEqualTo(1);
  }
}
