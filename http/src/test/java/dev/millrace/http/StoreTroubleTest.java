package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.health.StoreHealth;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.server.Server;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients and monitoring see while the store fails. */
class StoreTroubleTest {
  private static final String PIPELINE =
      "{\"stages\":[{\"type\":\"generate\",\"tasks\":[\"hello\"]}]}";
  private static final String SO1 = "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"hello\"}}";
  private static final Set<String> WRITING = Set.of("submit", "retry", "apply", "writeNote");

  private static volatile @Nullable Trouble trouble;
  private static JobStore store;
  private static Server server;
  private static HttpApi api;
  private static URI at;
  private static HttpClient client;

  @BeforeAll
  static void open() {
    JobStore memory = new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock()));
    store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("health")) {
                    return new StoreHealth(trouble, 3, 1_000);
                  }
                  if (trouble != null && WRITING.contains(method.getName())) {
                    throw new StoreException("/secret: it fails", null, trouble);
                  }
                  try {
                    return method.invoke(memory, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    server = Server.builder(store).build().start();
    api = HttpApi.over(store, HttpSettings.loopback(0), null);
    at = api.open(server, Set.of("generate"), null);
    client = HttpClient.newHttpClient();
  }

  @AfterAll
  static void close() {
    client.close();
    api.close();
    server.close();
    store.close();
  }

  @AfterEach
  void heal() {
    trouble = null;
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return client.send(HttpRequest.newBuilder(at.resolve(path)).build(), BodyHandlers.ofString());
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(at.resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.send(request, BodyHandlers.ofString());
  }

  @ParameterizedTest
  @CsvSource({"FULL, 507", "READ_ONLY, 503", "FAILING, 503", "BROKEN, 503"})
  void submissionsAreRefusedWithAReasonAndATime(Trouble present, int status) throws Exception {
    trouble = present;
    for (HttpResponse<String> refused :
        List.of(post("/v1/pipelines", PIPELINE), post("/api/jobs", SO1))) {
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
      assertThat(refused.headers().firstValueAsLong("Retry-After")).isPresent();
      assertThat(refused.body()).doesNotContain("secret");
    }
    trouble = null;
    assertThat(post("/v1/pipelines", PIPELINE).statusCode()).isEqualTo(201);
  }

  @Test
  void readinessSaysWhyAndLivenessStays() throws Exception {
    assertThat(get("/health/ready").statusCode()).isEqualTo(200);
    trouble = Trouble.FULL;
    HttpResponse<String> ready = get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(Json.object(ready.body()).object("trouble").string("store"))
        .isEqualTo("its disk is full; free some space");
    assertThat(get("/health/live").statusCode()).isEqualTo(200);
  }

  @Test
  void metricsShowIt() throws Exception {
    trouble = Trouble.READ_ONLY;
    assertThat(get("/metrics").body().lines())
        .contains(
            "millrace_store_failing 1.0",
            "millrace_store_failures_total 3.0",
            "millrace_store_free_bytes 1000.0",
            "millrace_threads_dead 0.0");
    trouble = null;
    assertThat(get("/metrics").body().lines()).contains("millrace_store_failing 0.0");
  }

  @ParameterizedTest
  @CsvSource({"FULL, 0", "READ_ONLY, 0", "BROKEN, 0"})
  void theLogHasNoLineForEachRequest(Trouble present, int lines) throws Exception {
    try (LogLines log = new LogLines()) {
      trouble = present;
      for (int i = 0; i < 5; i++) {
        post("/api/jobs", SO1);
        get("/health/ready");
      }
      assertThat(log.lines).hasSize(lines);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.2.3:8080", "[fe80::1]:80", "a_b", "x.example", "localhost:1", "-"})
  void aHealthCheckMayComeWithAnyHost(String host) throws IOException {
    try (Socket socket = new Socket(at.getHost(), at.getPort())) {
      String request =
          "GET /health/live HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      Reader in = new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII);
      StringBuilder answer = new StringBuilder();
      for (int c = in.read(); c >= 0; c = in.read()) {
        answer.append((char) c);
      }
      assertThat(answer).startsWith("HTTP/1.1 200 ");
    }
  }

  /** The warnings and errors of the server. */
  private static final class LogLines extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("dev.millrace.server");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogLines() {
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
        lines.add(line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }
}
