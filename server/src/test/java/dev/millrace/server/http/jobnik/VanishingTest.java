package dev.millrace.server.http.jobnik;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that hang up, or talk on, while they wait for a task. */
class VanishingTest {
  private final Api api = new Api();

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
    soon(() -> api.waiting() == before + 1);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void taskOfAVanishedClientIsForTheNext(boolean reset) throws Exception {
    String stage = api.stage(api.job(), "t");
    Socket vanished = waiting();
    if (reset) {
      vanished.setSoLinger(true, 0);
    }
    vanished.close();
    String task = api.tasks(stage, 1).getFirst();
    soon(() -> api.waiting() == 0);
    JsonObject taken = api.dequeue("t", "next", "?wait=10").object();
    assertThat(taken.string("id")).isEqualTo(task);
    assertThat(taken.integer("attempts")).isZero();
  }

  @Test
  void vanishedClientsKeepNobodyWaiting() throws Exception {
    String stage = api.stage(api.job(), "t");
    List<Socket> vanishing = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      vanishing.add(waiting());
    }
    try (Socket patient = waiting()) {
      for (Socket one : vanishing) {
        one.close();
      }
      api.tasks(stage, 1);
      assertThat(statusOf(patient)).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @Test
  void clientThatTalksOnIsAnsweredOnce() throws Exception {
    String stage = api.stage(api.job(), "t");
    try (Socket hasty = waiting()) {
      send(hasty, "GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n");
      api.tasks(stage, 1);
      BufferedReader answer = reader(hasty);
      assertThat(answer.readLine()).isEqualTo("HTTP/1.1 200 OK");
      String rest = String.join("\n", answer.lines().toList()); // until it is closed
      assertThat(rest).containsIgnoringCase("connection: close").contains("IN_PROGRESS");
      assertThat(rest).doesNotContain("HTTP/1.1");
    }
  }

  @Test
  void connectionIsGoodForMoreAfterAWait() throws Exception {
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

  private static void soon(Callable<Boolean> condition) {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2)).until(condition);
  }
}
