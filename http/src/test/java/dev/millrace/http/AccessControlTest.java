package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, rate limits, error responses, the access log and observers. */
@Tag("slow")
final class AccessControlTest {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @TempDir private Path directory;
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private final BlockingQueue<CompletedRequest> served = new LinkedBlockingQueue<>();
  private Path keys;
  private String reader;
  private String admin;
  private HttpService service;

  @BeforeEach
  void open() throws IOException {
    keys = directory.resolve("keys");
    reader = ApiKeyFile.add(keys, "reader", Set.of(KeyScope.READ));
    admin = ApiKeyFile.add(keys, "admin", Set.of(KeyScope.ADMIN));
    open(HttpLimits.DEFAULT);
  }

  private void open(HttpLimits limits) {
    close();
    TestRouteGroup group =
        new TestRouteGroup("/v1")
            .route("GET", "/v1/open", KeyScope.NONE, AccessControlTest::whoAmI)
            .route("GET", "/v1/read", KeyScope.READ, AccessControlTest::whoAmI)
            .route("POST", "/v1/write", KeyScope.SUBMIT, AccessControlTest::whoAmI)
            .route("GET", "/v1/stream", KeyScope.READ, AccessControlTest::stream)
            .route(
                "GET",
                "/v1/trace",
                KeyScope.READ,
                request -> ApiResponse.json(200, "" + request.trace()))
            .route(
                "GET",
                "/v1/fail/{how}",
                KeyScope.READ,
                request -> fail(request.pathParameter("how")))
            .route(
                "GET",
                "/v1/header",
                KeyScope.READ,
                request ->
                    new ApiResponse.Json(
                        200, Map.of("X-Echo", request.query("v").orElse("")), null));
    service =
        HttpService.open(
            HttpSettings.loopback(0).withKeys(keys).withLimits(limits).withAccessLog(log::add),
            List.of(group),
            List.of(served::add),
            id -> Optional.empty());
  }

  @AfterEach
  void close() {
    if (service != null) {
      service.close();
    }
  }

  private static ApiResponse whoAmI(ApiRequest request) {
    return ApiResponse.ok(Map.of("me", request.principal().name()));
  }

  private static ApiResponse stream(ApiRequest request) {
    return new ApiResponse.Stream(
        200,
        Map.of(),
        "text/event-stream",
        sink -> {
          sink.send(new byte[] {'a'});
          new CountDownLatch(1).await();
        });
  }

  private static ApiResponse fail(String how) {
    if (how.equals("error")) {
      throw new AssertionError("internal detail");
    }
    throw switch (how) {
      case "platform" -> new NumberFormatException("For input string: internal detail");
      case "parameter" -> new InvalidPathException("internal detail", "reason");
      case "argument" -> new IllegalArgumentException("priority must be 1 to 5");
      case "store" -> new StoreException("/data/secret/place is full");
      case "echo" -> new Problem(Problem.Kind.INVALID, "cannot reach https://me:pw@host/");
      case "state" -> new IllegalStateException("internal detail /home/me");
      default -> new Problem(Problem.Kind.CONFLICT, "there is one already");
    };
  }

  private RawHttp1Client.Response ask(String method, String target, String key) throws IOException {
    return RawHttp1Client.ask(service, method, target, "Authorization: Bearer " + key);
  }

  /** Waits, because the response is sent before the line is written. */
  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(20, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void keyAllowsWhatItsScopesAllow() throws IOException {
    assertThat(ask("GET", "/v1/read", reader).text()).isEqualTo("{\"me\":\"reader\"}");
    RawHttp1Client.Response refused = ask("POST", "/v1/write", reader);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("FORBIDDEN", "submit", "reader");
    assertThat(ask("POST", "/v1/write", admin).status()).isEqualTo(200);
  }

  @Test
  void missingOrWrongKeyGetsAHowTo() throws IOException {
    List<String> wrong =
        List.of(
            "X: y",
            "Authorization: Bearer mr_wrong",
            "Authorization: Basic " + reader,
            "Authorization: " + reader,
            "Authorization: Bearer");
    for (String field : wrong) {
      RawHttp1Client.Response response = RawHttp1Client.ask(service, "GET", "/v1/read", field);
      assertThat(response.status()).as(field).isEqualTo(401);
      assertThat(response.field("WWW-Authenticate")).contains("Bearer");
      assertThat(response.text()).contains("UNAUTHORIZED", "Authorization: Bearer KEY");
    }
    String key = "Authorization: Bearer " + reader;
    assertThat(RawHttp1Client.ask(service, "GET", "/v1/read", key, key).status()).isEqualTo(401);
    assertThat(RawHttp1Client.ask(service, "GET", "/v1/open").status()).isEqualTo(200);
    assertThat(
            RawHttp1Client.ask(service, "GET", "/v1/read", "authorization: bearer " + reader)
                .status())
        .isEqualTo(200);
  }

  @Test
  void changesOfTheKeyFileApplyAtOnce() throws IOException {
    String later = ApiKeyFile.add(keys, "later", Set.of(KeyScope.READ));
    assertThat(ask("GET", "/v1/read", later).status()).isEqualTo(200);
    ApiKeyFile.remove(keys, "reader");
    assertThat(ask("GET", "/v1/read", reader).status()).isEqualTo(401);
    Files.writeString(keys, "broken line\n");
    assertThat(ask("GET", "/v1/read", later).status()).as("a broken file").isEqualTo(200);
    Files.delete(keys);
    assertThat(ask("GET", "/v1/read", later).status()).as("no file").isEqualTo(200);
  }

  @Test
  void streamEndsWhenItsKeyIsRevoked() throws IOException {
    try (RawHttp1Client gone = RawHttp1Client.to(service);
        RawHttp1Client stays = RawHttp1Client.to(service)) {
      gone.request("GET", "/v1/stream", "Authorization: Bearer " + reader).head();
      stays.request("GET", "/v1/stream", "Authorization: Bearer " + admin).head();
      assertThat(gone.chunk()).hasSize(1);
      assertThat(stays.chunk()).hasSize(1);
      ApiKeyFile.remove(keys, "reader");
      assertThat(gone.chunk()).as("the end").isEmpty();
      await().until(() -> service.streams() == 1);
      ApiKeyFile.remove(keys, "admin");
      ApiKeyFile.add(keys, "other", Set.of(KeyScope.ADMIN));
      assertThat(stays.chunk()).isEmpty();
    }
  }

  @Test
  void noKeyIsAcceptedWhileTheFileCanBeChangedByOthers() throws IOException {
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-rw-rw-"));
    for (String key : List.of(reader, "mr_wrong")) {
      RawHttp1Client.Response refused = ask("GET", "/v1/read", key);
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.field("Retry-After")).isEqualTo("10");
      assertThat(refused.text()).contains("no API key is accepted").doesNotContain("/keys");
    }
    assertThat(RawHttp1Client.ask(service, "GET", "/v1/open").status()).isEqualTo(200);
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
    assertThat(ask("GET", "/v1/read", reader).status()).isEqualTo(200);
  }

  @Test
  void unreadableKeyFileIsRefusedAtStart() throws IOException {
    Path none = directory.resolve("none");
    assertThatThrownBy(() -> ApiKeys.open(none)).hasMessageContaining("there is no such file");
    assertThatThrownBy(() -> ApiKeys.open(directory)).hasMessageContaining("directory");
    Path broken = Files.writeString(directory.resolve("broken"), "# fine\na read 12\n");
    assertThatThrownBy(() -> ApiKeys.open(broken)).hasMessageContaining("line 2");
    String line = "a read " + ApiKeyFile.hash("x") + "\n";
    Path twice = Files.writeString(directory.resolve("twice"), line + line);
    assertThatThrownBy(() -> ApiKeys.open(twice)).hasMessageContaining("twice");
  }

  @Test
  void serverThatOthersCanReachNeedsKeys() {
    assertThatThrownBy(() -> HttpSettings.loopback(0).withHost("0.0.0.0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is no file of API keys");
    assertThat(HttpSettings.loopback(0).withKeys(keys).withHost("0.0.0.0").host())
        .isEqualTo("0.0.0.0");
  }

  @Test
  void eachKeyHasItsOwnRateLimit() throws IOException {
    open(HttpLimits.DEFAULT.withRate(0.01, 2));
    assertThat(ask("GET", "/v1/read", reader).status()).isEqualTo(200);
    assertThat(ask("GET", "/v1/read", reader).status()).isEqualTo(200);
    RawHttp1Client.Response refused = ask("GET", "/v1/read", reader);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(Integer.parseInt(refused.field("Retry-After"))).isBetween(90, 100);
    assertThat(ask("GET", "/v1/read", admin).status()).isEqualTo(200);
    assertThat(RawHttp1Client.ask(service, "GET", "/v1/open").status()).isEqualTo(200);
  }

  @Test
  void wrongKeysAreRateLimitedByAddress() throws IOException {
    open(HttpLimits.DEFAULT.withRate(0.01, 2));
    assertThat(ask("GET", "/v1/read", "x").status()).isEqualTo(401);
    assertThat(ask("GET", "/nowhere", "x").status()).isEqualTo(404);
    assertThat(ask("GET", "/v1/read", "x").status()).isEqualTo(429);
    assertThat(ask("GET", "/v1/read", reader).status()).isEqualTo(200);
  }

  @Test
  void failuresAreMappedWithoutInternalDetails() throws IOException {
    RawHttp1Client.Response argument = ask("GET", "/v1/fail/argument", reader);
    assertThat(argument.status()).isEqualTo(400);
    assertThat(argument.text()).contains("INVALID", "priority must be 1 to 5");
    RawHttp1Client.Response store = ask("GET", "/v1/fail/store", reader);
    assertThat(store.status()).isEqualTo(500);
    assertThat(store.text()).contains("INTERNAL").doesNotContain("secret");
    for (String how : List.of("state", "error", "platform", "parameter")) {
      RawHttp1Client.Response response = ask("GET", "/v1/fail/" + how, reader);
      assertThat(response.status()).isEqualTo(500);
      assertThat(response.text()).contains("internal error").doesNotContain("detail", "at dev.");
    }
    assertThat(ask("GET", "/v1/fail/conflict", reader).status()).isEqualTo(409);
    assertThat(ask("GET", "/v1/fail/echo", reader).text()).contains("https://me:[redacted]@host/");
  }

  @Test
  void headerOfAHandlerCannotBeSplit() throws IOException {
    assertThat(ask("GET", "/v1/header?v=fine", reader).field("X-Echo")).isEqualTo("fine");
    RawHttp1Client.Response response = ask("GET", "/v1/header?v=a%0d%0aSet-Cookie:%20b=c", reader);
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.fields()).doesNotContainKey("Set-Cookie");
  }

  @Test
  void accessLogHasALineForEachRequest() throws Exception {
    String mine = UUID.randomUUID().toString();
    RawHttp1Client.Response response =
        RawHttp1Client.ask(
            service,
            "GET",
            "/v1/read?limit=5&api_key=verysecret&x=" + admin,
            "Authorization: Bearer " + reader,
            "X-Request-Id: " + mine,
            "traceparent: " + PARENT);
    JsonObject line = Json.object(next(log));
    assertThat(line.string("requestId")).isEqualTo(response.field("X-Request-Id"));
    assertThat(line.string("clientRequestId")).isEqualTo(mine);
    assertThat(line.string("method")).isEqualTo("GET");
    assertThat(line.string("path")).isEqualTo("/v1/read?limit=5&api_key=[redacted]&x=[redacted]");
    assertThat(line.integer("status")).isEqualTo(200);
    assertThat(line.string("userId")).isEqualTo("reader");
    assertThat(line.string("remote")).isEqualTo("127.0.0.1");
    assertThat(line.integer("bytes")).isEqualTo(response.body().length);
    assertThat(line.string("traceId")).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(line.has("duration_ms")).isTrue();
    assertThat(line.has("error")).isFalse();
    ask("GET", "/v1/nothing", admin);
    JsonObject error = Json.object(next(log));
    assertThat(error.string("error")).isEqualTo("NOT_FOUND");
    assertThat(error.toString() + error.values()).doesNotContain(admin);
  }

  @Test
  void observersAreNotifiedOfCompletedRequests() throws Exception {
    ask("GET", "/v1/read", reader);
    CompletedRequest one = next(served);
    assertThat(one.request().route()).isNotNull();
    assertThat(one.request().route().path()).isEqualTo("/v1/read");
    assertThat(one.request().principal()).isNotNull();
    assertThat(one.response().status()).isEqualTo(200);
    assertThat(one.response().nanos()).isPositive();
    ask("BREW", "/v1/read", reader);
    CompletedRequest other = next(served);
    assertThat(other.request().route()).isNull();
    assertThat(other.request().method()).isEqualTo("_OTHER");
    assertThat(other.response().status()).isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        PARENT + "-more",
        "nonsense"
      })
  void invalidTraceParentIsIgnored(String parent) throws IOException {
    String text = trace("traceparent: " + parent, "tracestate: a=b");
    assertThat(text).isEqualTo("\"null\"");
  }

  @Test
  void traceParentIsRead() throws IOException {
    assertThat(trace("traceparent: " + PARENT, "tracestate: a=b", "tracestate: c=d"))
        .contains(PARENT, "a=b,c=d");
    assertThat(trace("traceparent: 01" + PARENT.substring(2) + "-more"))
        .contains("01" + PARENT.substring(2) + ",");
    assertThat(trace("traceparent: " + PARENT, "traceparent: " + PARENT)).isEqualTo("\"null\"");
    assertThat(trace("traceparent: " + PARENT, "tracestate: " + "x".repeat(600)))
        .contains("state=null");
  }

  private String trace(String... fields) throws IOException {
    String[] all = new String[fields.length + 1];
    all[0] = "Authorization: Bearer " + reader;
    System.arraycopy(fields, 0, all, 1, fields.length);
    return RawHttp1Client.ask(service, "GET", "/v1/trace", all).text();
  }
}
