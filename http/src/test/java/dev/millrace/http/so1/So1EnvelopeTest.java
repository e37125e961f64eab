package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.so1.So1TestServer.ApiReply;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every answer of so1's API has in common: errors, request ids, the access log, ids. */
class So1EnvelopeTest {
  private static final String HELLO =
      "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"Hello\",\"maxTokens\":5}}";

  private final So1TestServer service = new So1TestServer();

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  void everyErrorHasTheEnvelope() throws Exception {
    JobId done = service.submit("Hello");
    service.store.complete(service.claim(), TaskResult.of("Hello back"));
    assertError(400, "BAD_REQUEST", service.post("/api/jobs", "{\"action\":"));
    assertError(400, "BAD_REQUEST", service.post("/api/jobs", "{\"inputs\":{}}"));
    assertError(400, "BAD_REQUEST", service.post("/api/jobs", HELLO.replace("maxTokens", "voice")));
    assertError(400, "VALIDATION_ERROR", service.post("/api/jobs", "{\"action\":\"paint\"}"));
    assertError(400, "VALIDATION_ERROR", service.get("/api/jobs/abc"));
    assertError(404, "NOT_FOUND", service.get("/api/jobs/" + UUID.randomUUID()));
    assertError(404, "NOT_FOUND", service.get("/api/workflows"));
    assertError(405, "METHOD_NOT_ALLOWED", service.send("DELETE", "/api/jobs", null));
    assertError(409, "CONFLICT", service.post(So1TestServer.path(done) + "/cancel", null));
  }

  private static void assertError(int status, String code, ApiReply reply) {
    assertThat(reply.status()).as(reply.response().body()).isEqualTo(status);
    assertThat(reply.json().values()).containsOnlyKeys("requestId", "error");
    assertThat(reply.json().object("error").values()).containsOnlyKeys("code", "message");
    assertThat(reply.json().object("error").string("code")).isEqualTo(code);
    assertThat(reply.response().headers().firstValue("X-Request-Id"))
        .contains(reply.json().string("requestId"));
  }

  @Test
  void everyRequestHasItsOwnIdInAnswerAndLog() throws Exception {
    ApiReply made = service.post("/api/jobs", HELLO);
    ApiReply seen = service.get("/api/jobs/" + made.job().string("id"));
    String requestId = seen.json().string("requestId");
    assertThat(UUID.fromString(requestId).version()).isEqualTo(4);
    assertThat(requestId).isNotEqualTo(made.json().string("requestId"));
    assertThat(seen.response().headers().firstValue("X-Request-Id")).contains(requestId);
    assertThat(seen.job().object("metadata")).isEqualTo(made.job().object("metadata"));
    service.get("/api/jobs/abc");
    Awaitility.await().until(() -> service.accesses.size() == 3);
    JsonObject line = Json.object(service.accesses.getLast());
    assertThat(line.values())
        .containsKeys("timestamp", "requestId", "duration_ms")
        .containsEntry("method", "GET")
        .containsEntry("path", "/api/jobs/abc")
        .containsEntry("userId", "local")
        .containsEntry("orgId", "default")
        .containsKey("error");
    assertThat(line.integer("status")).isEqualTo(400);
  }

  @Test
  void sessionNamesTheCaller() throws Exception {
    assertThat(service.get("/api/auth/session").json().object("session").toString())
        .isEqualTo("{\"userId\":\"local\",\"orgId\":\"default\",\"email\":null}");
  }

  @Test
  void jobIdIsAUuidAlsoForJobsOfTheWorkspace() throws Exception {
    JobId id = service.submit("Hello");
    assertThat(service.get("/api/jobs/" + id).job().string("id"))
        .isEqualTo(EntityId.of(id).toString());
  }
}
