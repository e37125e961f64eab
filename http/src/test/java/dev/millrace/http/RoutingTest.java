package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.ApiResponse;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which route a path matches, and that ambiguous paths match none. */
final class RoutingTest {
  private static HttpService service;

  @BeforeAll
  static void open() {
    service =
        TestRouteGroup.open(
            new TestRouteGroup("").named("GET", "/").named("GET", "/health/live"),
            new TestRouteGroup("/v1")
                .named("GET", "/v1/jobs")
                .named("POST", "/v1/jobs")
                .named("DELETE", "/v1/jobs/{id}")
                .route(
                    "GET",
                    "/v1/jobs/{id}",
                    KeyScope.READ,
                    request -> ApiResponse.ok(Map.of("id", request.pathParameter("id"))))
                .named("GET", "/v1/jobs/secret")
                .named("GET", "/v1/models")
                .route(
                    "GET",
                    "/v1/models/{name*}",
                    KeyScope.READ,
                    request -> ApiResponse.ok(Map.of("name", request.pathParameter("name")))),
            new TestRouteGroup("/v1/deep").named("GET", "/v1/deep/x"));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  private static RawHttp1Client.Response get(String target) throws IOException {
    return RawHttp1Client.ask(service, "GET", target);
  }

  @Test
  void fixedSegmentWinsOverParameter() throws IOException {
    assertThat(get("/v1/jobs/secret").text()).contains("/v1/jobs/secret");
    assertThat(get("/v1/jobs/secrets").text()).isEqualTo("{\"id\":\"secrets\"}");
  }

  @Test
  void parameterIsDecodedAfterSplitting() throws IOException {
    assertThat(get("/v1/jobs/a%20b%C3%A9+c").text()).isEqualTo("{\"id\":\"a bé+c\"}");
  }

  @Test
  void restOfAPathMayHaveSlashes() throws IOException {
    assertThat(get("/v1/models/a").text()).isEqualTo("{\"name\":\"a\"}");
    assertThat(get("/v1/models/a/b/c").text()).isEqualTo("{\"name\":\"a/b/c\"}");
    assertThat(get("/v1/models/a%2Fb%20/c/").text()).isEqualTo("{\"name\":\"a/b /c\"}");
    assertThat(get("/v1/models").text()).contains("/v1/models");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//v1/jobs",
        "/v1//jobs",
        "/v1/./jobs",
        "/v1/x/../jobs",
        "/v1/jobs/..",
        "/v1/jobs/%2e%2e",
        "/v1/jobs/.%2E/jobs",
        "/v1/jobs/a%2Fb",
        "/v1/models/a%2F..%2Fb",
        "/v1/models/a%2F%2Fb",
        "/v1/models%2Fa",
        "/v1/jobs/a%2fb",
        "/v1/jobs%2Fsecret",
        "/v1%2Fjobs",
        "/v1/jobs;a=b",
        "/v1/jobs;a=b/secret",
        "/v1;/jobs",
        "/v1/jobs/a%00",
        "/v1/jobs/a%0d%0aX:y",
        "/v1/jobs/%C3",
        "/v1/jobs/%C0%AF",
        "/v1/jobs/%u0041",
        "/v1/jobs/%",
        "/v1/jobs/%4",
        "/v1/JOBS",
        "/V1/jobs",
        "/v1/jobs%20",
        "/health/live/../../v1/jobs",
        "/v1/jobs/é",
        "/v1/jobs\\secret",
        "/..%2f..%2fetc/passwd",
      })
  void ambiguousPathReachesNoHandler(String target) throws IOException {
    RawHttp1Client.Response response = get(target);
    assertThat(response.status()).as("%s -> %s", target, response.text()).isIn(400, 404);
    assertThat(response.text()).doesNotContain("reached").contains("\"kind\"");
  }

  @Test
  void unknownPathIsAnsweredByTheGroupWithTheLongestPrefix() throws IOException {
    assertThat(get("/v1/nothing").text()).contains("\"group\":\"/v1\"");
    assertThat(get("/v1/deep/nothing").text()).contains("\"group\":\"/v1/deep\"");
    assertThat(get("/v1x").text()).contains("\"group\":\"\"");
    assertThat(get("/nothing").text()).contains("\"group\":\"\"").contains("NOT_FOUND");
  }

  @Test
  void otherMethodsAreRefusedWithTheAllowedOnes() throws IOException {
    RawHttp1Client.Response response = RawHttp1Client.ask(service, "PUT", "/v1/jobs");
    assertThat(response.status()).isEqualTo(405);
    assertThat(response.field("Allow")).isEqualTo("GET, HEAD, POST");
    assertThat(response.text()).contains("METHOD_NOT_ALLOWED");
    assertThat(RawHttp1Client.ask(service, "OPTIONS", "/v1/jobs").status()).isEqualTo(405);
    assertThat(RawHttp1Client.ask(service, "TRACE", "/v1/jobs").status()).isEqualTo(405);
    assertThat(RawHttp1Client.ask(service, "OPTIONS", "*").status()).isIn(400, 404);
  }

  @Test
  void headIsAnsweredAsGetWithoutBody() throws IOException {
    try (RawHttp1Client wire = RawHttp1Client.to(service)) {
      RawHttp1Client.Response head = wire.ask("HEAD", "/v1/jobs");
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.field("Content-Length"))
          .isEqualTo(Integer.toString("{\"reached\":\"/v1/jobs\"}".length()));
      assertThat(wire.ask("GET", "/v1/jobs").text())
          .contains("/v1/jobs"); // no body of the HEAD response before it
    }
  }

  @Test
  void everyResponseHasItsOwnRequestId() throws IOException {
    String mine = UUID.randomUUID().toString();
    String first =
        RawHttp1Client.ask(service, "GET", "/v1/jobs", "X-Request-Id: " + mine)
            .field("X-Request-Id");
    String second = get("/v1/nothing").field("X-Request-Id");
    assertThat(UUID.fromString(first).version()).isEqualTo(4);
    assertThat(first).isNotEqualTo(mine).isNotEqualTo(second);
    assertThat(get("/v1/nothing").text()).contains("requestId");
  }

  @Test
  void routesWithTheSamePathAreRefused() {
    TestRouteGroup twice =
        new TestRouteGroup("/v1").named("GET", "/v1/a/{x}").named("GET", "/v1/a/{y}");
    assertThatThrownBy(() -> TestRouteGroup.open(twice)).hasMessageContaining("GET /v1/a/{y}");
    assertThatThrownBy(() -> TestRouteGroup.open(new TestRouteGroup("/v1").named("GET", "/other")))
        .hasMessageContaining("prefix");
  }
}
