package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.server.Server;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The assembled API. */
class HttpApiTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
  private final Server server = Server.builder(store).build();

  @AfterEach
  void close() {
    server.close();
    store.close();
  }

  @Test
  void apiThatCannotListenReleasesEverything() throws Exception {
    long before = dispatchers();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpApi api = HttpApi.over(store, HttpSettings.loopback(taken.getLocalPort()), null);
      assertThatThrownBy(() -> api.open(server, Set.of(), null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("port " + taken.getLocalPort());
      await().until(() -> dispatchers() == before);
      api.close(); // closing twice is harmless
    }
  }

  private static long dispatchers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("millrace-dispatch"))
        .count();
  }

  @Test
  void jobsAreSubmittedAndReadBeforeThereIsAServer() throws Exception {
    AtomicReference<String> phase = new AtomicReference<>("loading model \"x\"");
    try (HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        HttpClient client = HttpClient.newHttpClient()) {
      URI at = api.open(Set.of("generate"), Set.of("x"), () -> Optional.ofNullable(phase.get()));
      assertThat(get(client, at, "/health/live").statusCode()).isEqualTo(200);
      HttpResponse<String> loading = get(client, at, "/health/ready");
      assertThat(loading.statusCode()).isEqualTo(503);
      assertThat(loading.body()).contains("loading model \\\"x\\\"");
      HttpResponse<String> submitted =
          client.send(
              HttpRequest.newBuilder(at.resolve("/v1/pipelines"))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"stages\":[{\"type\":\"generate\",\"tasks\":[\"hello\"]}]}"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(submitted.statusCode()).as(submitted.body()).isEqualTo(201);
      assertThat(get(client, at, "/v1/jobs").body()).contains("\"PENDING\"");
      assertThat(get(client, at, "/metrics").statusCode()).isEqualTo(200);

      HttpResponse<String> early = get(client, at, "/v1/models");
      assertThat(early.statusCode()).isEqualTo(503);
      assertThat(early.body()).contains("models are being loaded").contains("server_error");

      server.start();
      api.attach(server, null, null);
      assertThat(get(client, at, "/v1/models").body()).contains("\"data\":[]");
      phase.set("warming up model \"x\"");
      assertThat(get(client, at, "/health/ready").body()).contains("warming up");
      phase.set(null);
      assertThat(get(client, at, "/health/ready").statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> get(HttpClient client, URI at, String path) throws Exception {
    return client.send(HttpRequest.newBuilder(at.resolve(path)).build(), BodyHandlers.ofString());
  }

  @Test
  void metricsHaveTheRequestedFormat() throws Exception {
    try (HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        HttpClient client = HttpClient.newHttpClient()) {
      URI metrics = api.open(server, Set.of(), null).resolve("/metrics");
      HttpResponse<String> plain =
          client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
      assertThat(plain.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
      HttpResponse<String> open =
          client.send(
              HttpRequest.newBuilder(metrics)
                  .header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
                  .build(),
              BodyHandlers.ofString());
      assertThat(open.headers().firstValue("Content-Type").orElse(""))
          .startsWith("application/openmetrics-text");
      assertThat(open.body()).endsWith("# EOF\n");
    }
  }
}
