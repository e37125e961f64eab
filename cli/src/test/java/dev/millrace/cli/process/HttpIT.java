package dev.millrace.cli.process;

import static dev.millrace.cli.process.ServeProcess.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.serve.HttpOptions;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The HTTP API as {@code serve} serves it: a process of its own, raw requests. */
class HttpIT {
  private static final String UPPER = "generate=tr a-z A-Z";
  private static final String SLOW =
      "generate=: >started; while [ ! -e go ]; do sleep 0.02; done; tr a-z A-Z";
  private static final String HELLO =
      "{\"action\": \"generate\", \"inputs\": {\"prompt\": \"hello\"}}";

  @TempDir Path dir;

  @Test
  void aSubmittedPromptStreamsItsEvents() {
    try (ServeProcess server = ServeProcess.start(dir, "--exec", UPPER, "--port", "0");
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      PlainHttpClient.Reply made = peer.send("POST", "/api/jobs", HELLO, "Idempotency-Key", "k1");
      assertThat(made.status()).as(made.body()).isEqualTo(202);
      assertThat(made.job().string("state")).isEqualTo("pending");
      String id = made.job().string("id");
      PlainHttpClient.EventFollower events = peer.follow(id, null);
      soon().until(events::ended);
      assertThat(events.ids()).isSorted().doesNotHaveDuplicates();
      assertThat(events.last().name()).isEqualTo("status");
      assertThat(events.last().data().object("output").string("text")).isEqualTo("HELLO");
      PlainHttpClient.Reply again = peer.send("POST", "/api/jobs", HELLO, "Idempotency-Key", "k1");
      assertThat(again.job().string("id")).isEqualTo(id);
      assertThat(again.json().string("requestId")).isNotEqualTo(made.json().string("requestId"));
      assertThat(peer.get("/v1/jobs/" + id).json().string("status")).isEqualTo("COMPLETED");
      assertThat(peer.get("/metrics").body()).contains("millrace_");
      assertThat(peer.get("/openapi.json").json().string("openapi")).startsWith("3.1");
    }
  }

  @Test
  void aStockJobnikWorkerIsServed() {
    try (ServeProcess server = ServeProcess.start(dir, "--port", "0");
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      String job = made(peer, "/v1/jobs", "{\"name\": \"album\", \"data\": {}}");
      String stage =
          made(peer, "/v1/jobs/" + job + "/stage", "{\"type\": \"resize\", \"data\": {}}");
      PlainHttpClient.Reply tasks =
          peer.send("POST", "/v1/stages/" + stage + "/tasks", "[{\"data\": {\"width\": 4}}]");
      assertThat(tasks.status()).as(tasks.body()).isEqualTo(201);
      PlainHttpClient.Reply task = peer.send("PATCH", "/v1/stages/resize/tasks/dequeue", null);
      assertThat(task.status()).as(task.body()).isEqualTo(200);
      assertThat(task.json().object("data").integer("width")).isEqualTo(4);
      PlainHttpClient.Reply done =
          peer.send(
              "PUT",
              "/v1/tasks/" + task.json().string("id") + "/status",
              "{\"status\": \"COMPLETED\"}");
      assertThat(done.status()).as(done.body()).isEqualTo(200);
      assertThat(peer.get("/v1/jobs/" + job).json().string("status")).isEqualTo("COMPLETED");
      assertThat(peer.send("PATCH", "/v1/stages/resize/tasks/dequeue", null).status())
          .isEqualTo(404);
    }
  }

  private static String made(PlainHttpClient peer, String path, String body) {
    PlainHttpClient.Reply reply = peer.send("POST", path, body);
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
    return reply.json().string("id");
  }

  @Test
  void theFirstSignalLetsRequestsAndTasksFinish() throws IOException {
    try (ServeProcess server = ServeProcess.start(dir, "--exec", SLOW, "--port", "0");
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      String id = peer.send("POST", "/api/jobs", HELLO).job().string("id");
      PlainHttpClient.EventFollower events = peer.follow(id, null);
      soon().until(() -> Files.exists(dir.resolve("started")));
      assertThat(peer.get("/health/ready").status()).isEqualTo(200);
      CompletableFuture<PlainHttpClient.Reply> waiting =
          CompletableFuture.supplyAsync(
              () ->
                  peer.send(
                      "PATCH",
                      "/v1/stages/other/tasks/dequeue?wait=50",
                      null,
                      "Millrace-Worker",
                      "patient"));
      soon().until(() -> peer.get("/metrics").body().contains("millrace_dequeues_waiting 1.0"));
      server.process().signal("TERM");
      soon().until(() -> peer.get("/health/ready").status() == 503);
      assertThat(peer.get("/health/live").status()).isEqualTo(200);
      assertThat(peer.get("/api/jobs/" + id).job().string("state")).isEqualTo("running");
      Files.writeString(dir.resolve("go"), "");
      assertThat(server.process().result().status()).isZero();
      assertThat(waiting.join().status()).as("an answer, not a broken line").isEqualTo(404);
      soon().until(events::ended);
      assertThat(new InProcessCli(dir).run("flow", "ws").out()).containsPattern("done: +1");
    }
  }

  @Test
  void selfSignedCertificatesWork() throws Exception {
    SelfSignedCertificate own = SelfSignedCertificate.in(dir);
    try (ServeProcess server =
            ServeProcess.start(
                dir,
                "--exec",
                UPPER,
                "--port",
                "0",
                "--tls-cert",
                "chain.pem",
                "--tls-key",
                "key.pem");
        PlainHttpClient peer = PlainHttpClient.trusting(server.uri(), own.trust())) {
      assertThat(server.uri().getScheme()).isEqualTo("https");
      assertThat(peer.send("POST", "/api/jobs", HELLO).status()).isEqualTo(202);
      URI plain = URI.create("http://127.0.0.1:" + server.uri().getPort());
      try (PlainHttpClient careless = PlainHttpClient.of(plain)) {
        assertThat(careless.get("/health/live").status()).isNotEqualTo(200);
      }
    }
  }

  @Test
  void keysCanChangeWhileTheServerRuns() {
    InProcessCli cli = new InProcessCli(dir);
    String reader = cli.run("apikey", "reader", "--file", "keys", "--scope", "read").line();
    try (ServeProcess server =
            ServeProcess.start(dir, "--exec", UPPER, "--port", "0", "--api-key-file", "keys");
        PlainHttpClient client = PlainHttpClient.of(server.uri())) {
      PlainHttpClient.Reply refused = client.get("/v1/jobs");
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate")).isPresent();
      assertThat(client.get("/health/ready").status()).isEqualTo(200);
      assertThat(client.withKey(reader).get("/v1/jobs").status()).isEqualTo(200);
      PlainHttpClient.Reply forbidden = client.withKey(reader).send("POST", "/api/jobs", HELLO);
      assertThat(forbidden.status()).isEqualTo(403);
      assertThat(forbidden.body()).contains("submit");
      String writer = cli.run("apikey", "writer", "--file", "keys").line();
      soon().until(() -> client.withKey(writer).send("POST", "/api/jobs", HELLO).status() == 202);
      cli.run("apikey", "reader", "--file", "keys", "--remove");
      soon().until(() -> client.withKey(reader).get("/v1/jobs").status() == 401);
    }
  }

  @Test
  void theDefaultPortMayBeReplacedButANamedOneMayNot() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServeProcess named =
            ServeProcess.start(
                dir, "--model", "house", "--port", Integer.toString(other.getLocalPort()))) {
      InProcessCli.Result result = named.process().result();
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.err())
          .contains("Error: --port " + other.getLocalPort() + ": cannot listen on 127.0.0.1");
      assertThat(result.out()).doesNotContain("loading");
    }
    try (ServerSocket usual = takeUsualPort();
        ServeProcess server = ServeProcess.start(dir, "--exec", UPPER);
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      assertThat(server.uri().getPort()).isNotEqualTo(HttpOptions.USUAL_PORT);
      assertThat(server.process().out()).as("with %s", usual).contains("port 8080 is taken");
      assertThat(peer.get("/health/live").status()).isEqualTo(200);
    }
  }

  /** What has the port may be a server of another test, which ends; whatever stays is fine. */
  private static ServerSocket takeUsualPort() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try {
      return soon()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> new ServerSocket(HttpOptions.USUAL_PORT, 1, here), ServerSocket::isBound);
    } catch (ConditionTimeoutException e) {
      return new ServerSocket(); // it stays taken
    }
  }

  @Test
  void aPublicAddressNeedsKeys() {
    try (ServeProcess open = ServeProcess.start(dir, "--exec", UPPER, "--bind", "0.0.0.0")) {
      InProcessCli.Result result = open.process().result();
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.err()).startsWith("Error: --bind 0.0.0.0: other machines can reach it");
      assertThat(dir.resolve("ws")).doesNotExist();
    }
  }

  @Test
  void requestsAreLogged() throws IOException {
    try (ServeProcess server =
            ServeProcess.start(dir, "--exec", UPPER, "--port", "0", "--access-log", "access.log");
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      PlainHttpClient.Reply reply = peer.get("/v1/jobs");
      String id = reply.headers().firstValue("X-Request-Id").orElseThrow();
      soon().until(() -> Files.readString(dir.resolve("access.log")).contains(id));
      List<JsonObject> lines =
          Files.readAllLines(dir.resolve("access.log")).stream().map(Json::object).toList();
      assertThat(lines).anyMatch(line -> line.string("path", "").equals("/v1/jobs"));
    }
  }
}
