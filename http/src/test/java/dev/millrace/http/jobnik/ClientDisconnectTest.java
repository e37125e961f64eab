package dev.millrace.http.jobnik;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that disconnect, or send more, while they wait for a task. */
class ClientDisconnectTest {
  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private Socket waiting() throws IOException {
    int before = api.waiting();
    Socket socket = new Socket(api.service.address().getAddress(), api.service.address().getPort());
    send(
        socket,
        "PATCH /v1/stages/t/tasks/dequeue?wait=30 HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Length: 0\r\n\r\n");
    awaitTrue(() -> api.waiting() == before + 1);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void taskOfADisconnectedClientGoesToTheNext(boolean reset) throws Exception {
    String stage = api.stage(api.job(), "t");
    Socket disconnected = waiting();
    if (reset) {
      disconnected.setSoLinger(true, 0);
    }
    disconnected.close();
    String task = api.tasks(stage, 1).getFirst();
    awaitTrue(() -> api.waiting() == 0);
    JsonObject taken = api.dequeue("t", "next", "?wait=10").object();
    assertThat(taken.string("id")).isEqualTo(task);
    assertThat(taken.integer("attempts")).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void taskOfADisconnectedHttp2ClientGoesToTheNext(boolean whole) throws Exception {
    String stage = api.stage(api.job(), "t");
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      sendRequest(client); // upgrades the connection to HTTP/2
      CompletableFuture<?> disconnected =
          client.sendAsync(
              request("/v1/stages/t/tasks/dequeue?wait=30")
                  .method("PATCH", BodyPublishers.noBody())
                  .build(),
              BodyHandlers.ofString());
      awaitTrue(() -> api.waiting() == 1);
      if (whole) {
        client.shutdownNow(); // closes the connection
        awaitTrue(client::isTerminated);
      } else {
        disconnected.cancel(true); // closes only the stream
        sendRequest(client); // arrives after the reset
      }
      for (int i = 0; i < 20; i++) {
        api.get("/v1/stages/" + stage); // by then the server has read the end of the connection
      }
      String task = api.tasks(stage, 1).getFirst();
      awaitTrue(() -> api.waiting() == 0);
      JsonObject taken = api.dequeue("t", "next", "?wait=10").object();
      assertThat(taken.string("id")).isEqualTo(task);
      assertThat(taken.integer("attempts")).isZero();
    }
  }

  @Test
  void http2ClientGetsItsTask() throws Exception {
    String stage = api.stage(api.job(), "t");
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      sendRequest(client);
      CompletableFuture<HttpResponse<String>> waiting =
          client.sendAsync(
              request("/v1/stages/t/tasks/dequeue?wait=30")
                  .method("PATCH", BodyPublishers.noBody())
                  .build(),
              BodyHandlers.ofString());
      awaitTrue(() -> api.waiting() == 1);
      String task = api.tasks(stage, 1).getFirst();
      HttpResponse<String> answer = waiting.get(20, TimeUnit.SECONDS);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains(task);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(api.service.uri().resolve(path));
  }

  private void sendRequest(HttpClient client) throws Exception {
    client.send(request("/v1/jobs").build(), BodyHandlers.ofString());
  }

  @Test
  void disconnectedClientsDoNotDelayOthers() throws Exception {
    String stage = api.stage(api.job(), "t");
    List<Socket> disconnecting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      disconnecting.add(waiting());
    }
    try (Socket waiting = waiting()) {
      for (Socket one : disconnecting) {
        one.close();
      }
      api.tasks(stage, 1);
      assertThat(statusOf(waiting)).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @Test
  void clientThatSendsMoreIsAnsweredOnce() throws Exception {
    String stage = api.stage(api.job(), "t");
    try (Socket impatient = waiting()) {
      send(impatient, "GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n");
      api.tasks(stage, 1);
      BufferedReader answer = reader(impatient);
      assertThat(answer.readLine()).isEqualTo("HTTP/1.1 200 OK");
      String rest = String.join("\n", answer.lines().toList()); // until it is closed
      assertThat(rest).containsIgnoringCase("connection: close").contains("IN_PROGRESS");
      assertThat(rest).doesNotContain("HTTP/1.1");
    }
  }

  @Test
  void connectionCanBeReusedAfterAWait() throws Exception {
    String stage = api.stage(api.job(), "t");
    try (Socket socket = waiting()) {
      api.tasks(stage, 1);
      BufferedReader answer = reader(socket);
      assertThat(answer.readLine()).isEqualTo("HTTP/1.1 200 OK");
      send(socket, "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(answer.lines().anyMatch(line -> line.contains("HTTP/1.1 404"))).isTrue();
    }
  }

  private static String statusOf(Socket socket) throws IOException {
    return reader(socket).readLine();
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
  }

  private static void awaitTrue(Callable<Boolean> condition) {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).until(condition);
  }
}
