package dev.millrace.http.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import java.io.ByteArrayInputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What anyone may ask for without a key costs the server little. */
class StaticContentTest {
  private final InMemoryServer inMemory = new InMemoryServer();
  private final Set<String> called = ConcurrentHashMap.newKeySet();
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpApi api;
  private URI at;

  @BeforeEach
  void open() {
    JobStore store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  called.add(method.getName());
                  try {
                    return method.invoke(inMemory.store, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    Server server = inMemory.keep(inMemory.builder(Worker.of("run", _ -> "x")).build());
    server.start();
    api = HttpApi.over(store, HttpSettings.loopback(0), null);
    at = api.open(server, Set.of("run"), null);
  }

  @AfterEach
  void close() {
    api.close();
    inMemory.close();
    client.close();
  }

  private HttpResponse<byte[]> get(String path, String... fields) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(at.resolve(path));
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  @Test
  void readinessReadsNoJobs() throws Exception {
    assertThat(get("/health/ready").statusCode()).isEqualTo(200);
    called.clear();
    for (String path : new String[] {"/health/ready", "/health", "/health/live"}) {
      assertThat(get(path).statusCode()).isEqualTo(200);
    }
    assertThat(called).isSubsetOf("health", "unreadableJobs", "sweep", "awaitWork");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openapi.json", "/docs/api.json", "/docs/api"})
  void clientThatHasTheContentDoesNotGetItAgain(String path) throws Exception {
    HttpResponse<byte[]> whole = get(path);
    String tag = whole.headers().firstValue("ETag").orElseThrow();
    assertThat(whole.headers().firstValue("Cache-Control")).hasValue("no-cache");

    HttpResponse<byte[]> same = get(path, "If-None-Match", "\"other\", " + tag);
    assertThat(same.statusCode()).isEqualTo(304);
    assertThat(same.body()).isEmpty();
    assertThat(same.headers().firstValue("ETag")).hasValue(tag);
    assertThat(get(path, "If-None-Match", "\"other\"").body()).isEqualTo(whole.body());

    HttpResponse<byte[]> packed = get(path, "Accept-Encoding", "gzip");
    assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
      assertThat(in.readAllBytes()).isEqualTo(whole.body());
    }
  }
}
