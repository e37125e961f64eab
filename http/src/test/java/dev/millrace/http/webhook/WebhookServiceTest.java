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
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
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
import org.junit.jupiter.api.Test;

class WebhookServiceTest {
  private final WebhookFixture post = new WebhookFixture();
  private FakeWebhookReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    receiver = new FakeWebhookReceiver(FakeWebhookReceiver.status(204));
  }

  @AfterEach
  void close() throws IOException {
    post.close();
    receiver.close();
  }

  @Test
  void tellsTheEndOfAJobOnceAndSigned() throws Exception {
    post.open();
    JobId id = post.done(hook(receiver.url()));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.requests).hasSize(1);
    Request request = receiver.requests.getFirst();
    assertThat(request.line()).isEqualTo("POST /told?key=1 HTTP/1.1");
    assertThat(request.fields())
        .containsEntry("host", "127.0.0.1:" + receiver.port())
        .containsEntry("content-type", "application/json")
        .containsEntry("user-agent", "Millrace-Webhooks");
    JsonObject json = request.json();
    assertThat(json.string("type")).isEqualTo("job.completed");
    assertThat(json.string("id"))
        .isEqualTo(request.id())
        .startsWith(EntityId.of(id) + ":")
        .isEqualTo(EntityId.of(id) + ":" + post.store.find(id).orElseThrow().lastEvent());
    assertThat(json.object("job").string("id")).isEqualTo(EntityId.of(id).toString());
    assertThat(json.object("job").string("status")).isEqualTo("COMPLETED");
    assertThat(json.object("job").string("name")).isEqualTo("told");
    String timestamp = request.fields().get("millrace-timestamp");
    assertThat(Long.parseLong(timestamp)).isEqualTo(post.clock.instant().getEpochSecond());
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(
        new SecretKeySpec(WebhookFixture.SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    assertThat(request.fields().get("millrace-signature"))
        .isEqualTo("v1=" + HexFormat.of().formatHex(mac.doFinal(request.body())));
  }

  @Test
  void tellsOnlyWhatIsAskedForInOrder() throws Exception {
    try (FakeWebhookReceiver ends = new FakeWebhookReceiver(FakeWebhookReceiver.status(200))) {
      WebhookService hooks = post.open();
      StageSpec gate =
          StageSpec.builder("work").gate(true).tasks(List.of(TaskSpec.of("y"))).build();
      JobId id =
          post.submit(
              List.of(StageSpec.of("work", List.of(TaskSpec.of("x"))), gate),
              hook(receiver.url()),
              hook(ends.url(), Event.FAILED));
      post.complete();
      until("the gate is told", () -> receiver.requests.size() == 1);
      JsonObject told = receiver.requests.getFirst().json();
      assertThat(told.string("type")).isEqualTo("stage.waiting");
      assertThat(told.object("stage").integer("order")).isEqualTo(2);
      assertThat(told.object("stage").string("status")).isEqualTo("WAITING");
      assertThat(told.object("job").string("status")).isEqualTo("IN_PROGRESS");
      assertThat(ends.requests).isEmpty();
      post.store.approve(id, 2, Cause.user("u", null));
      post.fail();
      until("the note is dropped", () -> !post.hasNote(id));
      assertThat(receiver.types()).containsExactly("stage.waiting", "job.failed");
      assertThat(ends.types()).containsExactly("job.failed");
      assertThat(ends.requests.getFirst().json().object("job").string("error")).contains("broken");
      assertThat(hooks.stats().delivered()).isEqualTo(3);
    }
  }

  @Test
  void aGateAtTheStartAndAnAbortAreTold() {
    StageSpec gate = StageSpec.builder("work").gate(true).tasks(List.of(TaskSpec.of("y"))).build();
    post.open();
    JobId id = post.submit(List.of(gate), hook(receiver.url()));
    until("the gate is told", () -> receiver.requests.size() == 1);
    post.store.abort(id, Cause.user("u", null));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.types()).containsExactly("stage.waiting", "job.aborted");
  }

  @Test
  void aReceiverThatFailsIsTriedAgainWithGrowingWaitsUnderTheSameId() {
    receiver.behave(FakeWebhookReceiver.status(500));
    WebhookService hooks = post.open();
    JobId id = post.done(hook(receiver.url()));
    int[] waits = {5, 10, 20, 40};
    for (int i = 0; i < waits.length; i++) {
      int tries = i + 1;
      until("try " + tries + " is noted", () -> post.note(id).contains("\"tries\":" + tries));
      assertThat(receiver.requests).hasSize(tries);
      post.step(Duration.ofSeconds(waits[i]).minusMillis(1));
      post.step(Duration.ofMillis(1));
    }
    until("the last try", () -> receiver.requests.size() == 5);
    until("the last try is noted", () -> post.note(id).contains("\"tries\":5"));
    receiver.behave(FakeWebhookReceiver.status(200));
    post.step(Duration.ofHours(1));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.requests.stream().map(Request::id).collect(Collectors.toSet())).hasSize(1);
    assertThat(hooks.stats().failed()).isEqualTo(5);
    assertThat(hooks.stats().delivered()).isEqualTo(1);
  }

  @Test
  void anEventThatNobodyTakesForADayIsGivenUp() {
    receiver.behave(FakeWebhookReceiver.status(503));
    WebhookService hooks = post.open();
    JobId id = post.done(hook(receiver.url()));
    until("the first try", () -> post.note(id).contains("\"tries\":1"));
    post.step(Duration.ofHours(24));
    until("it is given up", () -> !post.hasNote(id));
    assertThat(hooks.stats().givenUp()).isEqualTo(1);
    assertThat(receiver.requests).hasSize(2);
  }

  @Test
  void aReceiverThatIsGoneIsToldNothingMore() {
    receiver.behave(FakeWebhookReceiver.status(410));
    WebhookService hooks = post.open();
    JobId id = post.done(hook(receiver.url()));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.requests).hasSize(1);
    assertThat(hooks.stats().givenUp()).isEqualTo(1);
  }

  @Test
  void redirectsAreNotFollowed() throws Exception {
    try (FakeWebhookReceiver elsewhere = new FakeWebhookReceiver(FakeWebhookReceiver.status(200))) {
      receiver.behave(
          FakeWebhookReceiver.bytes(
              "HTTP/1.1 302 Found\r\nLocation: "
                  + elsewhere.url()
                  + "\r\nContent-Length: 0\r\n\r\n"));
      post.open();
      JobId id = post.done(hook(receiver.url()));
      until("it counts as a failure", () -> post.note(id).contains("\"tries\":1"));
      assertThat(elsewhere.requests).isEmpty();
    }
  }

  @Test
  void answersThatAreNoneCountAsFailures() {
    List<String> answers =
        List.of(
            "",
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\nContent-",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n".repeat(20),
            "HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
    post.open();
    JobId[] id = {post.submit(hook(receiver.url()))};
    receiver.behave(FakeWebhookReceiver.bytes(answers.getFirst()));
    post.complete();
    for (int i = 1; i <= answers.size(); i++) {
      int tries = i;
      until("try " + tries, () -> post.note(id[0]).contains("\"tries\":" + tries));
      if (i < answers.size()) {
        receiver.behave(FakeWebhookReceiver.bytes(answers.get(i)));
        post.step(Duration.ofHours(1));
      }
    }
    receiver.behave(
        FakeWebhookReceiver.bytes(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 299 Fine\r\n\r\n" + "z".repeat(200_000)));
    post.step(Duration.ofHours(1));
    until("the note is dropped", () -> !post.hasNote(id[0]));
  }

  @Test
  void aReceiverThatHangsIsCutAndHoldsUpNobodyElse() throws Exception {
    post.settings = post.settings.withTimeout(Duration.ofMillis(300));
    try (FakeWebhookReceiver slow = new FakeWebhookReceiver(FakeWebhookReceiver.hangs())) {
      WebhookService hooks = post.open();
      for (int i = 0; i < 50; i++) {
        post.done(hook(slow.url()));
      }
      JobId both = post.done(hook(slow.url()), hook(receiver.url()));
      until("the other receiver of the same job is told", () -> receiver.requests.size() == 1);
      JobId id = post.done(hook(receiver.url()));
      until("another job is told", () -> !post.hasNote(id));
      until("the slow one was cut", () -> hooks.stats().failed() >= 1);
      int asked = slow.requests.size();
      assertThat(asked)
          .as("at most 4 at once")
          .isLessThanOrEqualTo((int) hooks.stats().failed() + 4);
      assertThat(post.hasNote(both)).isTrue();
    }
  }

  @Test
  void aSlowDripIsCutToo() {
    post.settings = post.settings.withTimeout(Duration.ofMillis(300));
    receiver.behave(
        (_, out) -> {
          for (int i = 0; i < 10_000; i++) {
            out.write('H');
            out.flush();
            Thread.sleep(20);
          }
        });
    post.open();
    JobId id = post.done(hook(receiver.url()));
    until("it counts as a failure", () -> post.note(id).contains("\"tries\":1"));
  }

  @Test
  void whatWasLeftGoesOnAfterACrashWithTheSameIds() {
    receiver.behave(FakeWebhookReceiver.hangs());
    post.open();
    JobId id = post.done(hook(receiver.url()));
    until("it is on its way", () -> receiver.requests.size() == 1);
    post.crash();
    JobId whileDown = post.done(hook(receiver.url()));
    receiver.behave(FakeWebhookReceiver.status(200));
    assertThat(post.note(id)).isEqualTo("{\"after\":0}");
    post.open();
    until("both are told", () -> !post.hasNote(id) && !post.hasNote(whileDown));
    assertThat(receiver.requests).hasSize(3);
    List<String> ids = receiver.requests.stream().map(Request::id).toList();
    assertThat(Set.copyOf(ids)).hasSize(2);
    assertThat(ids.stream().filter(ids.getFirst()::equals)).hasSize(2);
  }

  @Test
  void aBackoffOutlivesACrash() {
    receiver.behave(FakeWebhookReceiver.status(500));
    post.open();
    JobId id = post.done(hook(receiver.url()));
    until("the first try", () -> post.note(id).contains("\"tries\":1"));
    post.crash();
    receiver.behave(FakeWebhookReceiver.status(200));
    WebhookService again = post.open();
    until("it is known", () -> again.stats().pending() == 1);
    assertThat(receiver.requests).hasSize(1);
    post.step(Duration.ofSeconds(5));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.requests).hasSize(2);
  }

  @Test
  void anAddressThatIsNotAllowedIsNotCalled() {
    post.settings =
        WebhookSettings.of(WebhookAllowList.of(List.of()), WebhookFixture.SECRET)
            .withClock(post.clock);
    WebhookService hooks = post.open();
    Webhook hook = hook(receiver.url());
    assertThatThrownBy(() -> hooks.check(hook))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(Problem.Kind.INVALID))
        .hasMessageContaining("--webhook-allow");
    JobId id = post.done(hook);
    until("it counts as a failure", () -> post.note(id).contains("\"tries\":1"));
    assertThat(receiver.requests).isEmpty();
  }

  @Test
  void aNameThatIsAllowedDoesNotLeadInside() {
    post.settings =
        WebhookSettings.of(WebhookAllowList.of(List.of("hooks.example.org")), WebhookFixture.SECRET)
            .withClock(post.clock);
    post.resolver = _ -> new InetAddress[] {InetAddress.getLoopbackAddress()};
    WebhookService hooks = post.open();
    Webhook hook = hook("http://hooks.example.org:" + receiver.port() + "/x");
    assertThatThrownBy(() -> hooks.check(hook)).isInstanceOf(Problem.class);
    JobId id = post.done(hook);
    until("it counts as a failure", () -> post.note(id).contains("\"tries\":1"));
    assertThat(receiver.requests).isEmpty();
  }

  @Test
  void theAddressThatWasCheckedIsTheOneThatIsCalled() throws Exception {
    AtomicInteger lookups = new AtomicInteger();
    InetAddress allowed = InetAddress.ofLiteral("127.0.0.1");
    InetAddress other = InetAddress.ofLiteral("10.255.255.1");
    post.resolver =
        _ -> new InetAddress[] {other, lookups.getAndIncrement() == 0 ? allowed : other};
    post.open();
    JobId id = post.done(hook("http://rebinding.example:" + receiver.port() + "/x"));
    until("it is told", () -> !post.hasNote(id));
    assertThat(lookups).as("looked up once, and called what was found").hasValue(1);
    assertThat(receiver.requests.getFirst().fields())
        .containsEntry("host", "rebinding.example:" + receiver.port());
  }

  @Test
  void aHostThatIsNotKnownYetIsAcceptedAndTriedAgain() {
    post.resolver =
        host -> {
          throw new UnknownHostException(host);
        };
    WebhookService hooks = post.open();
    Webhook hook = hook("http://later.example/");
    hooks.check(hook);
    JobId id = post.done(hook);
    until("it counts as a failure", () -> post.note(id).contains("\"tries\":1"));
  }

  @Test
  void whatDoesNotFitIntoMemoryIsFoundInTheNotes() throws Exception {
    post.capacity = 20;
    try (FakeWebhookReceiver dead = new FakeWebhookReceiver(FakeWebhookReceiver.status(500))) {
      for (int i = 0; i < 100; i++) {
        post.done(hook(dead.url()));
      }
      JobId[] alive = new JobId[50];
      for (int i = 0; i < alive.length; i++) {
        alive[i] = post.done(hook(receiver.url()));
      }
      WebhookService hooks = post.open();
      until(
          "all of the living are told, and the dead all tried",
          () -> {
            post.step(Duration.ofSeconds(30));
            assertThat(hooks.stats().pending()).isLessThanOrEqualTo(post.capacity + 1);
            return List.of(alive).stream().noneMatch(post::hasNote)
                && dead.requests.stream().map(Request::id).distinct().count() == 100;
          });
      assertThat(receiver.requests.stream().map(Request::id).distinct()).hasSize(50);
    }
  }

  @Test
  void aNoteWithoutAJobIsDroppedWhenNoSubmissionCanBeUnderWay() {
    Instant now = post.clock.instant();
    JobId coming = id(now);
    JobId never = id(now.minus(Duration.ofMinutes(90)));
    post.store.writeNote(NoteStore.WEBHOOKS, coming.value(), "{\"after\":0}");
    post.store.writeNote(NoteStore.WEBHOOKS, never.value(), "{\"after\":0}");
    WebhookService hooks = post.open();
    until("the old one is dropped", () -> !post.hasNote(never));
    until("the new one is known", () -> hooks.stats().pending() == 1);
    assertThat(post.hasNote(coming)).isTrue();
    post.step(Duration.ofMinutes(59));
    JobId told = post.done(hook(receiver.url()));
    until("another is told", () -> !post.hasNote(told));
    assertThat(post.hasNote(coming)).isTrue();
    post.step(Duration.ofMinutes(2));
    until("the other is dropped without a restart", () -> !post.hasNote(coming));
  }

  private static JobId id(Instant at) {
    return JobId.of(at.getEpochSecond() * 1_000_000, 1, 0);
  }

  @Test
  void oneJobThatCannotBeLookedAtHoldsUpNoOther() {
    JobId bad = post.submit(hook(receiver.url()));
    post.complete();
    JobStore whole = post.store;
    AtomicInteger looks = new AtomicInteger();
    post.store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("find") && bad.equals(arguments[0])) {
                    throw looks.incrementAndGet() % 2 == 1
                        ? new AssertionError("a fault of ours")
                        : new JobException("its log is a directory", new IOException("damaged"));
                  }
                  return method.invoke(whole, arguments);
                });
    post.open();
    for (int look = 1; look <= 4; look++) {
      int reached = look;
      until("look " + look, () -> looks.get() == reached);
      JobId told = post.done(hook(receiver.url()));
      until("another is told", () -> !post.hasNote(told));
      assertThat(looks).as("it waits its time").hasValue(look);
      post.step(Duration.ofMinutes(1));
    }
    assertThat(post.hasNote(bad)).isTrue();
  }

  /** A gate that is not one: the stage is held long after its turn came. */
  @Test
  void aStageThatIsHeldLateIsToldOnce() {
    StageSpec two = StageSpec.of("work", List.of(TaskSpec.of("a"), TaskSpec.of("b")));
    JobId id =
        post.submit(
            List.of(StageSpec.of("work", List.of(TaskSpec.of("x"))), two), hook(receiver.url()));
    post.complete();
    Claim claim = post.claim();
    for (int i = 0; i < 1_100; i++) {
      post.store.log(claim, "info", "line " + i);
    }
    post.store.hold(id, 2, Cause.user("u", null));
    post.open();
    until("the hold is told", () -> receiver.requests.size() == 1);
    post.store.complete(claim, TaskResult.of("a"));
    post.store.abort(id, Cause.user("u", null));
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.types()).containsExactly("stage.waiting", "job.aborted");
  }

  @Test
  void aStageThatWasHeldBeforeItsTurnIsToldWhenItComes() {
    StageSpec one = StageSpec.of("work", List.of(TaskSpec.of("x")));
    JobId id = post.submit(List.of(one, one), hook(receiver.url()));
    post.store.hold(id, 2, Cause.user("u", null));
    post.complete();
    post.store.approve(id, 2, Cause.user("u", null));
    post.store.hold(id, 2, Cause.user("u", null));
    post.open();
    until("both are told", () -> receiver.requests.size() == 2);
    assertThat(receiver.types()).containsExactly("stage.waiting", "stage.waiting");
    post.store.approve(id, 2, Cause.user("u", null));
    post.complete();
    until("the note is dropped", () -> !post.hasNote(id));
    assertThat(receiver.types()).hasSize(3).endsWith("job.completed");
  }

  @Test
  void aLongErrorIsCutBetweenCharacters() {
    post.open();
    JobId id = post.submit(hook(receiver.url()));
    post.store.fail(post.claim(), Failure.permanent("x😀".repeat(1_500)));
    until("the note is dropped", () -> !post.hasNote(id));
    String error = receiver.requests.getFirst().json().object("job").string("error");
    assertThat(error).endsWith("…").hasSizeBetween(2_000, 2_001);
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(error)).isTrue();
  }

  @Test
  void aJobWithoutWebhooksLeavesNothingBehind() {
    WebhookService hooks = post.open();
    post.done();
    JobId told = post.done(hook(receiver.url()));
    until("the other is told", () -> !post.hasNote(told));
    assertThat(hooks.stats().delivered()).isEqualTo(1);
  }
}
