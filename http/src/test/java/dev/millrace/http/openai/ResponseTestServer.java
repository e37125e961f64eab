package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.health.StoreHealth;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.server.Server;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.NamedModel;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A whole server over a store in memory and models; bodies may have single quotes. */
final class ResponseTestServer implements AutoCloseable {
  final JobStore store;

  /** Whether nothing can be submitted. */
  volatile boolean full;

  private final Inference inference;
  private final Server server;
  private final HttpApi api;
  private final URI uri;
  private final Path keys;
  private final String anna;
  private final String ben;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** With the house model, in memory. */
  ResponseTestServer() throws IOException {
    this(houseModel());
  }

  /** In memory. */
  ResponseTestServer(Inference inference) throws IOException {
    this(new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC())), inference);
  }

  /** With the house model. */
  ResponseTestServer(JobStore store) throws IOException {
    this(store, houseModel());
  }

  /**
   * @param store closed with this
   * @param inference its models; closed with this
   */
  private ResponseTestServer(JobStore store, Inference inference) throws IOException {
    this.store = store;
    this.inference = inference;
    keys = Files.createTempDirectory("millrace-keys");
    Path keyFile = keys.resolve("keys");
    Set<KeyScope> scopes = Set.of(KeyScope.READ, KeyScope.SUBMIT);
    anna = ApiKeyFile.add(keyFile, "anna", scopes);
    ben = ApiKeyFile.add(keyFile, "ben", scopes);
    server = Server.builder(store).group(inference.slots(), inference.workers()).build().start();
    api = HttpApi.over(refusingWhenFull(), HttpSettings.loopback(0).withKeys(keyFile), null);
    uri = api.open(server, Set.of("generate"), inference::stats, inference.direct());
  }

  /** The file with the keys of its clients. */
  Path keyFile() {
    return keys.resolve("keys");
  }

  /** Sends a request to another server that has the same keys; returns the body of the answer. */
  String sendTo(URI other, String method, String path) throws Exception {
    HttpResponse<String> response =
        client.send(request(other, anna, method, path, null), BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  private static Inference houseModel() {
    Path house = Path.of("models/house/house.gguf");
    Path file = Files.exists(house) ? house : Path.of("..").resolve(house);
    return Inference.open(
        InferenceSettings.of(List.of(new NamedModel(HouseModelServer.MODEL, file)))
            .withEngine(EngineSettings.usual().withContext(1024).withSlots(4).withTokens(4096)));
  }

  private JobStore refusingWhenFull() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (_, method, arguments) -> {
              if (full && method.getName().equals("submit")) {
                throw new StoreException("no space", null, StoreHealth.Trouble.FULL);
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private HttpRequest request(String key, String method, String path, @Nullable String body) {
    return request(uri, key, method, path, body);
  }

  private static HttpRequest request(
      URI server, String key, String method, String path, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .header("Authorization", "Bearer " + key)
            .timeout(Duration.ofSeconds(60));
    if (body == null || body.isEmpty()) {
      return request.method(method, BodyPublishers.noBody()).build();
    }
    return request
        .header("Content-Type", "application/json")
        .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
        .build();
  }

  private String send(int status, String method, String path, @Nullable String body)
      throws Exception {
    return send(anna, status, method, path, body);
  }

  private String send(String key, int status, String method, String path, @Nullable String body)
      throws Exception {
    HttpResponse<String> response =
        client.send(request(key, method, path, body), BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return response.body();
  }

  JsonObject post(String path, String body) throws Exception {
    return Json.object(send(200, "POST", path, body));
  }

  JsonObject get(String path) throws Exception {
    return Json.object(send(200, "GET", path, null));
  }

  JsonObject delete(String path) throws Exception {
    return Json.object(send(200, "DELETE", path, null));
  }

  /** The events of a request, as they were sent. */
  String stream(String path, String body) throws Exception {
    return send(200, "POST", path, body);
  }

  String events(String path) throws Exception {
    return send(200, "GET", path, null);
  }

  JsonObject refused(int status, String method, String path, @Nullable String body)
      throws Exception {
    return answer(status, method, path, body).object("error");
  }

  /** The whole body of an answer. */
  JsonObject answer(int status, String method, String path, @Nullable String body)
      throws Exception {
    return Json.object(send(status, method, path, body));
  }

  /** As {@link #refused}, for the key that made none of the responses. */
  JsonObject refusedForOther(int status, String method, String path, @Nullable String body)
      throws Exception {
    return Json.object(send(ben, status, method, path, body)).object("error");
  }

  InferenceStats stats() {
    return inference.stats();
  }

  HttpResponse<InputStream> open(String path, String body) throws Exception {
    return client.send(request(anna, "POST", path, body), BodyHandlers.ofInputStream());
  }

  @Override
  public void close() throws IOException {
    api.close();
    server.close();
    inference.close();
    store.close();
    client.close();
    Files.delete(keys.resolve(".keys.lock"));
    Files.delete(keys.resolve("keys"));
    Files.delete(keys);
  }
}
