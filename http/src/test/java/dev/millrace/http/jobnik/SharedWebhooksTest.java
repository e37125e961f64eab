package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.webhook.WebhookAllowList;
import dev.millrace.http.webhook.WebhookService;
import dev.millrace.http.webhook.WebhookSettings;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of the servers on one database that can call webhooks, one does. */
@Tag("slow")
@Timeout(120)
class SharedWebhooksTest {
  private static final WebhookSettings SETTINGS =
      WebhookSettings.of(WebhookAllowList.of(List.of("127.0.0.0/8")), "a secret of the tests");

  private static EmbeddedPostgres postgres;
  private static PostgresDatabase database;

  private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
  private HttpServer receiver;

  @BeforeAll
  static void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    database =
        PostgresDatabase.open(
            PostgresSettings.parse(
                "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres?lease=5",
                Map.of()));
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
    postgres.close();
  }

  @BeforeEach
  void receive() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          calls.add(exchange.getRequestHeaders().getFirst("Millrace-Event-Id"));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stopReceiver() {
    receiver.stop(0);
  }

  /** Completes a job with a webhook; returns its id. */
  private String complete(JobnikTestServer server) {
    String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/";
    String job =
        server.job(
            "{'name':'told','data':{},'webhooks':[{'url':'" + url + "','on':['completed']}]}");
    server.tasks(server.stage(job, "w"), 1);
    server.complete(server.dequeue("w").object());
    return job;
  }

  private String awaitCall() throws InterruptedException {
    return calls.poll(30, TimeUnit.SECONDS);
  }

  /** A call is counted when its answer is there. */
  private static void awaitDelivered(WebhookService hooks, int count) {
    await().atMost(Duration.ofSeconds(30)).until(() -> hooks.stats().delivered() == count);
  }

  @Test
  void aWebhookIsCalledByOneOfTheServers() throws Exception {
    JobStore first = database.join("one");
    JobStore second = database.join("other");
    try (JobnikTestServer one = new JobnikTestServer(first);
        JobnikTestServer other = new JobnikTestServer(second);
        WebhookService firstHooks = WebhookService.open(first, SETTINGS);
        WebhookService secondHooks = WebhookService.open(second, SETTINGS)) {
      List<String> called = new ArrayList<>();
      for (int i = 0; i < 3; i++) { // a second call for a job would come before that for the next
        String job = complete(other);
        called.add(awaitCall());
        assertThat(one.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
      }
      assertThat(called).doesNotContainNull().doesNotHaveDuplicates();
      awaitDelivered(firstHooks, 3);
      assertThat(secondHooks.stats().delivered()).isZero();
    }
  }

  @Test
  void theOldestServerNeedNotHaveWebhooks() throws Exception {
    try (JobnikTestServer oldest = new JobnikTestServer(database.join("without webhooks"))) {
      JobStore second = database.join("with webhooks");
      try (JobnikTestServer other = new JobnikTestServer(second);
          WebhookService _ = WebhookService.open(second, SETTINGS)) {
        complete(oldest);
        assertThat(awaitCall()).isNotNull();
        complete(other);
        assertThat(awaitCall()).isNotNull();
      }
    }
  }

  @Test
  void whenTheServerThatCallsIsGoneAnotherOneDoes() throws Exception {
    JobStore calling = database.join("calls");
    JobStore second = database.join("waits");
    JobnikTestServer gone = new JobnikTestServer(calling);
    WebhookService firstHooks = WebhookService.open(calling, SETTINGS);
    try (JobnikTestServer other = new JobnikTestServer(second);
        WebhookService secondHooks = WebhookService.open(second, SETTINGS)) {
      complete(gone);
      String first = awaitCall();
      gone.close(); // its row says so, and the lease of its webhooks nothing yet
      complete(other);
      String next = awaitCall();
      if (first.equals(next)) { // the first had called, and had not written that down
        next = awaitCall();
      }
      assertThat(next).isNotNull().isNotEqualTo(first);
      await().atMost(Duration.ofSeconds(30)).until(() -> secondHooks.stats().delivered() > 0);
    } finally {
      firstHooks.close();
    }
  }

  @Test
  void aServerWhoseWebhooksAreClosedLeavesThemToAnother() throws Exception {
    JobStore first = database.join("calls");
    JobStore second = database.join("waits");
    try (JobnikTestServer one = new JobnikTestServer(first);
        JobnikTestServer other = new JobnikTestServer(second);
        WebhookService secondHooks = openBehind(first, second)) {
      complete(one);
      assertThat(awaitCall()).isNotNull();
      complete(other);
      assertThat(awaitCall()).isNotNull();
      awaitDelivered(secondHooks, 2);
    }
  }

  /** The service of the second, after that of the first had the lease and has closed. */
  private static WebhookService openBehind(JobStore first, JobStore second) {
    try (WebhookService _ = WebhookService.open(first, SETTINGS)) {
      return WebhookService.open(second, SETTINGS);
    }
  }
}
