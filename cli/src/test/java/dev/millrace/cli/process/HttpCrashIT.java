package dev.millrace.cli.process;

import static dev.millrace.cli.process.ServeProcess.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.SseEvent;
import dev.millrace.cli.InProcessCli;
import dev.millrace.client.JobEventStream;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.worker.Worker;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server is killed while clients of every kind use it; another takes over at its address. */
class HttpCrashIT {
  private static final String SECRET = "a secret of some length";

  @TempDir Path dir;
  private final String port = Integer.toString(ServeProcess.freePort());
  private final URI base = URI.create("http://127.0.0.1:" + port);

  private ServeProcess serve(String... more) {
    List<String> options = new ArrayList<>(List.of("--port", port));
    options.addAll(List.of(more));
    ServeProcess server = ServeProcess.start(dir, options.toArray(String[]::new));
    assertThat(server.uri()).isEqualTo(base);
    return server;
  }

  /** A worker that keeps its claims until the test releases it. */
  private record Holding(CountDownLatch begun, CountDownLatch go, List<String> done) {
    static Holding tasks(int count) {
      return new Holding(
          new CountDownLatch(count), new CountDownLatch(1), new CopyOnWriteArrayList<>());
    }

    Worker worker(MillraceClient client, int count) {
      return Worker.builder(
              client,
              "resize",
              task -> {
                begun.countDown();
                go.await();
                done.add(task.data().string("picture"));
                return "by the SDK";
              })
          .concurrency(count)
          .longPoll(Duration.ofSeconds(2))
          .build();
    }
  }

  @Test
  void claimsStreamsAndWebhooksSurviveAKill() throws Exception {
    Files.writeString(dir.resolve("secret"), SECRET);
    try (WebhookRecorder hooks = WebhookRecorder.open();
        MillraceClient client = MillraceClient.at(base);
        PlainHttpClient peer = PlainHttpClient.of(base)) {
      String[] options = {
        "--webhook-allow", "127.0.0.1:" + hooks.port(), "--webhook-secret-file", "secret"
      };
      Holding holding = Holding.tasks(2);
      JsonObject job;
      JsonObject raw;
      PlainHttpClient.EventFollower before;
      List<SseEvent> followed = new CopyOnWriteArrayList<>();
      try (ServeProcess first = serve(options);
          Worker worker = holding.worker(client, 2)) {
        job = peer.send("POST", "/v1/pipelines", album(5, hooks.port())).json();
        assertThat(job.string("status", null)).as(job.toString()).isEqualTo("PENDING");
        raw = claim(peer);
        worker.start();
        holding.begun().await();
        before = peer.follow(job.string("id"), null);
        Thread follower = follow(client, UUID.fromString(job.string("id")), followed);
        soon().until(() -> before.events.size() >= 5 && followed.size() >= 5);
        first.kill();
        soon().until(before::ended);
        try (ServeProcess second = serve(options)) {
          assertThat(answer(peer, raw).status()).as("the token counts still").isEqualTo(200);
          assertThat(answer(peer, raw).status()).as("and once more").isEqualTo(200);
          holding.go().countDown();
          soon().until(() -> state(peer, job).equals("COMPLETED"));
          follower.join(Duration.ofSeconds(30));
          soon().until(() -> hooks.types().contains("job.completed"));
          assertThat(second.process().isAlive()).isTrue();
          PlainHttpClient.EventFollower after = peer.follow(job.string("id"), before.last().id());
          soon().until(after::ended);
          List<Integer> ids = new ArrayList<>(before.ids());
          ids.addAll(after.ids());
          assertThat(ids).as("by cursor").doesNotHaveDuplicates().isSorted();
          assertThat(followed.stream().map(event -> Integer.valueOf(event.id())).toList())
              .as("the SDK's own way")
              .isEqualTo(ids);
          assertThat(after.last().data().string("state")).isEqualTo("success");
        }
      }
      assertThat(holding.done()).as("each once").doesNotHaveDuplicates().hasSize(4);
      hooks.verify(SECRET);
    }
  }

  @Test
  void aPendingWebhookIsDeliveredByTheNextServer() throws Exception {
    Files.writeString(dir.resolve("secret"), SECRET);
    try (WebhookRecorder hooks = WebhookRecorder.open();
        PlainHttpClient peer = PlainHttpClient.of(base)) {
      String[] options = {
        "--webhook-allow", "127.0.0.1:" + hooks.port(), "--webhook-secret-file", "secret"
      };
      hooks.reject(true);
      try (ServeProcess first = serve(options)) {
        JsonObject job = peer.send("POST", "/v1/pipelines", album(1, hooks.port())).json();
        assertThat(answer(peer, claim(peer)).status()).isEqualTo(200);
        assertThat(state(peer, job)).isEqualTo("COMPLETED");
        soon().until(() -> hooks.refused() > 0);
        first.kill();
      }
      hooks.reject(false);
      assertThat(hooks.types()).isEmpty();
      try (ServeProcess second = serve(options)) {
        soon().until(() -> hooks.types().equals(List.of("job.completed")));
        assertThat(second.process().isAlive()).isTrue();
      }
      hooks.verify(SECRET);
    }
  }

  private static Thread follow(MillraceClient client, UUID job, List<SseEvent> into) {
    return Thread.startVirtualThread(
        () -> {
          try (JobEventStream events = client.so1().events(job, 0L)) {
            events.forEachRemaining(into::add);
          }
        });
  }

  private static String album(int pictures, int hook) {
    List<JsonObject> tasks =
        IntStream.rangeClosed(1, pictures)
            .mapToObj(
                n -> JsonObject.create().put("input", JsonObject.create().put("picture", "p" + n)))
            .toList();
    return Json.write(
        JsonObject.create()
            .put("name", "album")
            .put(
                "webhooks",
                List.of(
                    JsonObject.create()
                        .put("url", "http://127.0.0.1:" + hook + "/in")
                        .put("on", List.of("completed", "failed"))))
            .put("stages", List.of(JsonObject.create().put("type", "resize").put("tasks", tasks))));
  }

  private static JsonObject claim(PlainHttpClient peer) {
    PlainHttpClient.Reply task =
        peer.send(
            "PATCH", "/v1/stages/resize/tasks/dequeue?lease=60", null, "Millrace-Worker", "raw");
    assertThat(task.status()).as(task.body()).isEqualTo(200);
    return task.json();
  }

  private static PlainHttpClient.Reply answer(PlainHttpClient peer, JsonObject task) {
    JsonObject body =
        JsonObject.create()
            .put("status", "COMPLETED")
            .put("token", task.get("token"))
            .put("result", "by hand");
    return peer.send("PUT", "/v1/tasks/" + task.string("id") + "/status", Json.write(body));
  }

  private static String state(PlainHttpClient peer, JsonObject job) {
    return peer.get("/v1/jobs/" + job.string("id")).json().string("status");
  }

  /**
   * It is not known which of these were accepted before the server died; a repeated request
   * decides.
   */
  @Test
  void submissionsWithLostResponsesAreMadeOnce() throws Exception {
    int count = 60;
    List<Socket> sockets = new ArrayList<>();
    try (ServeProcess first = serve()) {
      for (int n = 0; n < count; n++) {
        Socket socket = new Socket("127.0.0.1", Integer.parseInt(port));
        sockets.add(socket);
        submit(socket, n);
        if (n == count / 3) {
          assertThat(socket.getInputStream().read()).as("the first answers come").isPositive();
        }
      }
      first.kill();
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    try (ServeProcess second = serve();
        PlainHttpClient peer = PlainHttpClient.of(second.uri())) {
      Set<String> ids = new HashSet<>();
      for (int n = 0; n < count; n++) {
        PlainHttpClient.Reply reply =
            peer.send("POST", "/api/jobs", body(n), "Idempotency-Key", "key-" + n);
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        ids.add(reply.job().string("id"));
      }
      assertThat(ids).hasSize(count);
      InProcessCli.Result jobs = new InProcessCli(dir).run("jobs", "ws", "--limit", "0", "--json");
      assertThat(jobs.lines()).as("one job for each key").hasSize(count);
    }
  }

  private static String body(int n) {
    return "{\"action\": \"pipeline\", \"inputs\": {\"stages\": [{\"type\": \"later\", \"tasks\":"
        + " [\"task "
        + n
        + "\"]}]}}";
  }

  /** Sends a complete request and does not read the response. */
  private static void submit(Socket socket, int n) throws IOException {
    byte[] body = body(n).getBytes(StandardCharsets.UTF_8);
    OutputStream out = socket.getOutputStream();
    String head =
        "POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Idempotency-Key: key-"
            + n
            + "\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    out.write(head.getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }
}
