package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The routes that show a job's document and the terms of its tasks. */
class JobExportRoutesTest {
  private static final String DOCUMENT =
      """
      {"name": "full", "priority": "HIGH", "hold": true, "tags": ["t"], "data": {"a": 1},
       "metadata": {"owner": "ada"},
       "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
       "webhooks": [{"url": "https://hooks.example.org/a", "on": ["completed"]}],
       "stages": [
         {"type": "generate", "maxAttempts": 3, "backoff": {"base": "2s", "max": "1m"},
          "queueTimeout": "1h", "runTimeout": "10m", "recoveryCeiling": 2, "data": {"seed": 7},
          "tasks": ["text", {"input": {"input": "wrapped"}, "maxAttempts": 1}]},
         {"type": "generate", "gate": true, "collect": true, "tolerate": 0.5,
          "each": "Shorten: {{result}}"},
         {"type": "generate", "tasks": [{"template": "Join: {{results}}"}]}]}
      """;

  private final JobnikTestServer api = new JobnikTestServer();

  @AfterEach
  void close() {
    api.close();
  }

  private static JobId own(String uuid) {
    return EntityId.of(UUID.fromString(uuid)).orElseThrow().job();
  }

  @Test
  void documentHasEverythingThatWasSubmitted() {
    String job = api.post("/v1/pipelines", DOCUMENT).id();
    ApiReply reply = api.get("/v1/pipelines/" + job);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(JobDocument.read(reply.object(), JobDocument.INLINE))
        .isEqualTo(JobDocument.read(Json.object(DOCUMENT), JobDocument.INLINE))
        .isEqualTo(api.store.spec(own(job)).orElseThrow());
  }

  @Test
  void documentCanBeSubmittedAgain() {
    String job = api.post("/v1/pipelines", DOCUMENT).id();
    String document = api.get("/v1/pipelines/" + job).text();
    ApiReply again = api.post("/v1/pipelines", document);
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(api.get("/v1/pipelines/" + again.id()).text()).isEqualTo(document);
  }

  @Test
  void documentHasWhatWasAddedSince() {
    String job = api.job();
    String stage = api.stage(job, "resize");
    api.tasks(stage, 2);
    JsonObject document = api.get("/v1/pipelines/" + own(job)).object();
    assertThat(document.flag("open", false)).isTrue();
    assertThat(document.list("stages").toString()).contains("resize", "n=2");
  }

  /** The URL of a webhook may be a secret that only those who submit jobs know. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void documentNeedsTheScopeSubmit(KeyScope scope, @TempDir Path directory) throws Exception {
    String job = api.job();
    boolean allowed = scope == KeyScope.SUBMIT || scope == KeyScope.ADMIN;
    assertThat(
            api.statusWithScope(
                scope,
                directory,
                uri -> HttpRequest.newBuilder(uri.resolve("/v1/pipelines/" + job))))
        .isEqualTo(allowed ? 200 : 403);
  }

  @Test
  void unknownJobsAreNotFound() {
    String unknown = new UUID(0x0006_449a_1f2c_8b40L, 0x8d11_c000_0700_0000L).toString();
    for (String path : List.of("/v1/pipelines/" + unknown, "/v1/jobs/" + unknown + "/terms")) {
      assertThat(api.get(path).brief()).isEqualTo("404 JOB_NOT_FOUND");
    }
    assertThat(api.get("/v1/pipelines/nonsense").brief()).isEqualTo("400 VALIDATION_ERROR");
  }

  @Test
  void termsComeInTheOrderOfTheLogByPages() {
    String job =
        api.post("/v1/pipelines", "{'stages':[{'type':'generate','tasks':['a','b','c']}]}").id();
    assertThat(api.get("/v1/jobs/" + job + "/terms").text()).isEqualTo("[]");
    List<Claim> claims = api.store.claim(new ClaimRequest(Set.of("generate"), 3, "w", null));
    for (Claim claim : claims) {
      api.store.freeze(claim, JsonObject.create().put("seed", claim.view().task()));
    }
    api.store.freeze(claims.getFirst(), JsonObject.create().put("seed", 99));
    List<String> found = new ArrayList<>();
    String cursor = null;
    do {
      ApiReply page =
          api.get(
              "/v1/jobs/" + job + "/terms?limit=1" + (cursor == null ? "" : "&cursor=" + cursor));
      page.list()
          .forEach(
              terms -> {
                assertThat(terms.string("taskId"))
                    .isEqualTo(new EntityId(own(job), 1, (int) terms.integer("task")).toString());
                found.add(terms.integer("task") + ":" + terms.object("terms").integer("seed"));
              });
      cursor = page.header("X-Next-Cursor");
    } while (cursor != null);
    assertThat(found).containsExactly("1:1", "2:2", "3:3", "1:99");
    assertThat(api.get("/v1/jobs/" + job + "/terms?cursor=x").brief())
        .isEqualTo("400 VALIDATION_ERROR");
  }
}
