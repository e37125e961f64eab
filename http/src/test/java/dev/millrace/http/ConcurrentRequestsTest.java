package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.limits.HttpLimits.Cap;
import dev.millrace.http.limits.RequestSlots.Kind;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many streams, long polls and requests one key, and all, may have under way. */
class ConcurrentRequestsTest {
  private static final Cap MANY = new Cap(100, 100);

  @TempDir private Path directory;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<CompletableFuture<HttpResponse<InputStream>>> open = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
  private String anna;
  private String bert;
  private Path keys;
  private HttpService service;

  @BeforeEach
  void makeKeys() throws Exception {
    keys = directory.resolve("keys");
    anna = ApiKeyFile.add(keys, "anna", Set.of(KeyScope.READ));
    bert = ApiKeyFile.add(keys, "bert", Set.of(KeyScope.READ));
  }

  private void open(HttpLimits.Concurrency most) {
    service =
        TestRouteGroup.open(
            HttpSettings.loopback(0)
                .withKeys(keys)
                .withLimits(HttpLimits.DEFAULT.withConcurrency(most)),
            new TestRouteGroup("/v1")
                .route("GET", "/v1/open", KeyScope.NONE, _ -> ApiResponse.ok(Map.of()))
                .route("GET", "/v1/read", KeyScope.READ, _ -> ApiResponse.ok(Map.of()))
                .route("GET", "/v1/STREAM", KeyScope.READ, _ -> stream())
                .route("GET", "/v1/LONG_POLL", KeyScope.READ, this::longPoll)
                .route("GET", "/v1/REQUEST", KeyScope.READ, _ -> held()));
  }

  private ApiResponse stream() {
    return new ApiResponse.Stream(
        200,
        Map.of(),
        "text/event-stream",
        sink -> {
          sink.send(new byte[] {'a'});
          end.await();
        });
  }

  private ApiResponse longPoll(ApiRequest request) throws InterruptedException {
    request.reserveLongPoll();
    return held();
  }

  private ApiResponse held() throws InterruptedException {
    end.await();
    return ApiResponse.ok(Map.of());
  }

  @AfterEach
  void close() {
    end.countDown();
    open.forEach(CompletableFuture::join);
    client.shutdownNow();
    service.close();
  }

  private static HttpLimits.Concurrency only(Kind kind, Cap cap) {
    return new HttpLimits.Concurrency(
        kind == Kind.REQUEST ? cap : MANY,
        kind == Kind.STREAM ? cap : MANY,
        kind == Kind.LONG_POLL ? cap : MANY);
  }

  private HttpRequest request(String path, String key) {
    return HttpRequest.newBuilder(service.uri().resolve(path))
        .header("Authorization", "Bearer " + key)
        .build();
  }

  private HttpResponse<String> get(String path, String key) throws Exception {
    return client.send(request(path, key), BodyHandlers.ofString());
  }

  private void hold(Kind kind, String key) {
    awaitHeld(kind, open.size());
    open.add(client.sendAsync(request("/v1/" + kind, key), BodyHandlers.ofInputStream()));
    awaitHeld(kind, open.size());
  }

  /** A request that was answered may keep its slot for a moment. */
  private void awaitHeld(Kind kind, int requests) {
    await().until(() -> service.slots().of(kind).size() == requests);
  }

  private static void refused(HttpResponse<String> response, int status, String why) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(Json.object(response.body()).string("message")).contains(why);
    assertThat(response.headers().firstValue("Retry-After")).isPresent();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void keyAtItsLimitDoesNotKeepOthersFromBeingServed(Kind kind) throws Exception {
    open(only(kind, new Cap(2, 4)));
    assertThat(get("/v1/read", anna).version()).isEqualTo(HttpClient.Version.HTTP_2);
    hold(kind, anna);
    hold(kind, anna);
    refused(get("/v1/" + kind, anna), 429, "the key \"anna\" has 2 ");
    hold(kind, bert);
    assertThat(service.slots().of(kind).refused().callers()).isEqualTo(1);

    end.countDown();
    awaitHeld(kind, 0);
    assertThat(get("/v1/read", anna).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void serverAtItsLimitSaysSo(Kind kind) throws Exception {
    open(only(kind, new Cap(2, 3)));
    hold(kind, anna);
    hold(kind, anna);
    hold(kind, bert);
    refused(get("/v1/" + kind, bert), 503, "the server has 3 ");
    assertThat(service.slots().of(kind).refused().all()).isEqualTo(1);
  }

  @Test
  void requestThatIsNoStreamIsServedWhenStreamsAreFull() throws Exception {
    open(only(Kind.STREAM, new Cap(1, 1)));
    hold(Kind.STREAM, anna);
    assertThat(get("/v1/read", anna).statusCode()).isEqualTo(200);
    assertThat(get("/v1/open", "none").statusCode()).isEqualTo(200);
  }
}
