package dev.millrace.http.jobnik;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Jobnik API over real sockets, for clients with keys: {@code reader}, {@code nightly}, which
 * may submit, too, and {@code boss}.
 */
final class KeyedTestServer implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final HttpService service;
  private final Map<String, String> keys = new HashMap<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  KeyedTestServer(Path directory) throws IOException {
    Path file = directory.resolve("keys");
    keys.put("reader", ApiKeyFile.add(file, "reader", Set.of(KeyScope.READ)));
    keys.put("nightly", ApiKeyFile.add(file, "nightly", Set.of(KeyScope.READ, KeyScope.SUBMIT)));
    keys.put("boss", ApiKeyFile.add(file, "boss", Set.of(KeyScope.ADMIN)));
    JobnikRouteGroup routes =
        new JobnikRouteGroup(
            store,
            new IdResolver(store),
            new IdempotentSubmitter(store, clock),
            _ -> {},
            Backoff.NONE);
    service = HttpService.open(HttpSettings.loopback(0).withKeys(file), List.of(routes));
  }

  record Reply(int status, String text) {
    JsonObject object() {
      return Json.object(text);
    }
  }

  /** Sends a request with the key of this name. */
  Reply send(String who, String method, String path, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(service.uri().resolve(URI.create(path)))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer " + keys.get(who))
            .header("Millrace-Extensions", "true")
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(JobnikTestServer.json(body)));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      return new Reply(answer.statusCode(), answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  Reply get(String who, String path) {
    return send(who, "GET", path, null);
  }

  /** Submits a job with one prompt; returns its id. */
  String submit(String who, String prompt) {
    String body = "{'stages':[{'type':'generate','tasks':['" + prompt + "']}]}";
    return send(who, "POST", "/v1/pipelines", body).object().string("id");
  }

  @Override
  public void close() {
    client.shutdownNow();
    service.close();
    store.close();
  }
}
