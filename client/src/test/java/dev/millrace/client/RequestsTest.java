package dev.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.api.ApiJob;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.PageOf;
import dev.millrace.client.error.ApiException;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The form of requests, and how answers are read. */
class RequestsTest {
  private static final UUID ID = new UUID(1, 1);
  private static final TraceContext TRACE =
      new TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b");

  private final ScriptedServer api = new ScriptedServer();
  private final MillraceClient client = api.client(new FakeTimeSource());

  @AfterEach
  void close() {
    client.close();
    api.close();
  }

  @Test
  void requestsCarryKeyAndTraceAndErrorsDoNotShowTheKey() {
    api.on("GET .*", ScriptedServer.json(404, JsonObject.create().put("code", "JOB_NOT_FOUND")));
    try (MillraceClient keyed =
        MillraceClient.builder(api.uri()).key("mr_secret").trace(() -> TRACE).build()) {
      assertThatThrownBy(() -> keyed.jobs().get(ID))
          .hasMessageNotContaining("mr_secret")
          .hasMessageContaining("JOB_NOT_FOUND");
    }
    ScriptedServer.ReceivedRequest seen = api.seen("GET .*").getFirst();
    assertThat(seen.header("Authorization")).isEqualTo("Bearer mr_secret");
    assertThat(seen.header("traceparent")).isEqualTo(TRACE.parent());
    assertThat(seen.header("tracestate")).isEqualTo("a=b");
  }

  @Test
  void addressWithoutAHostIsRefused() {
    assertThatThrownBy(() -> MillraceClient.at(URI.create("file:///tmp")))
        .hasMessageContaining("http://HOST:PORT");
  }

  @Test
  void errorsOfBothApisAreRead() {
    api.on(
        "GET /v1/.*",
        ScriptedServer.text(
            404, "{\"message\":\"gone\",\"code\":\"JOB_NOT_FOUND\"}", "X-Request-Id", "x"));
    api.on(
        "GET /api/.*",
        ScriptedServer.text(
            409, "{\"requestId\":\"x\",\"error\":{\"code\":\"CONFLICT\",\"message\":\"no\"}}"));

    ApiException one = catchThrowableOfType(ApiException.class, () -> client.jobs().get(ID));
    ApiException other = catchThrowableOfType(ApiException.class, () -> client.so1().get(ID));

    assertThat(one.code()).isEqualTo("JOB_NOT_FOUND");
    assertThat(one.text()).isEqualTo("gone");
    assertThat(one.requestId()).isEqualTo("x");
    assertThat(one.isNotFound()).isTrue();
    assertThat(other.code()).isEqualTo("CONFLICT");
    assertThat(other.isConflict()).isTrue();
  }

  @Test
  void fieldsOfANewerServerAreIgnored() {
    api.on("GET .*", ScriptedServer.json(200, ScriptedServer.job(ID).put("colour", "blue")));

    ApiJob job = client.jobs().get(ID);

    assertThat(job.id()).isEqualTo(ID);
    assertThat(job.trace()).as("a trace of zeros is none").isNull();
  }

  @Test
  void unreadableAnswerIsAnApiException() {
    api.on(
        "GET .*",
        ScriptedServer.text(200, "<html>"),
        ScriptedServer.json(200, ScriptedServer.job(ID).put("status", "SLEEPING")));

    for (int i = 0; i < 2; i++) {
      assertThat(catchThrowableOfType(ApiException.class, () -> client.jobs().get(ID)).code())
          .isEqualTo("REQUEST_FAILED_ERROR");
    }
  }

  @Test
  void listsAreReadPageByPage() {
    api.on(
        "GET /v1/jobs",
        ScriptedServer.text(
            200, "[" + ScriptedServer.job(new UUID(1, 1)) + "]", "X-Next-Cursor", "a+b"),
        ScriptedServer.text(200, "[" + ScriptedServer.job(new UUID(1, 2)) + "]"));

    List<UUID> ids =
        client
            .jobs()
            .all(
                JobFilter.all()
                    .named("two words")
                    .priority(Priority.HIGH)
                    .between(Instant.EPOCH, null)
                    .limit(1))
            .map(ApiJob::id)
            .toList();

    assertThat(ids).containsExactly(new UUID(1, 1), new UUID(1, 2));
    assertThat(api.seen("GET .*").getFirst().query())
        .isEqualTo("job_name=two words&priority=HIGH&from_date=1970-01-01T00:00:00Z&limit=1");
    assertThat(api.seen("GET .*").getLast().query()).endsWith("&cursor=a+b");
  }

  @Test
  void updateToTheSamePriorityReturnsFalse() {
    api.on(
        "PATCH .*",
        ScriptedServer.json(200, JsonObject.create().put("code", "JOB_MODIFIED_SUCCESSFULLY")),
        ScriptedServer.text(204, "", "Reason", "PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE"));

    assertThat(client.jobs().updatePriority(ID, Priority.HIGH)).isTrue();
    assertThat(client.jobs().updatePriority(ID, Priority.HIGH)).isFalse();
  }

  @Test
  void metadataIsTheBodyItself() {
    api.on("PATCH .*", ScriptedServer.json(200, JsonObject.create()));

    client.jobs().updateUserMetadata(ID, JsonObject.create().put("owner", "ada"));

    assertThat(api.seen("PATCH .*").getFirst().body()).isEqualTo("{\"owner\":\"ada\"}");
  }

  @Test
  void invalidRequestsAreRefusedBeforeTheyAreSent() {
    assertThatThrownBy(() -> NewJob.of("x")).hasMessageContaining("2 to 50");
    assertThatThrownBy(() -> NewStage.of("no/slash")).hasMessageContaining("stage type");
    assertThatThrownBy(() -> NewJob.of("job").tags("no spaces")).hasMessageContaining("tag");
    assertThat(api.seen(".*")).isEmpty();
  }

  @Test
  void emptyQueueOfAJobnikServerIsNotAnError() {
    api.on("PATCH .*", ScriptedServer.json(404, JsonObject.create().put("code", "TASK_NOT_FOUND")));

    assertThat(client.stages().dequeue("resize")).isEmpty();
  }

  @Test
  void serverThatIsNotReadyIsNotAnError() {
    api.on("GET /health/ready", ScriptedServer.text(503, "{}"));
    api.on("GET /health/live", ScriptedServer.text(200, "{}"));

    assertThat(client.monitoring().ready()).isFalse();
    assertThat(client.monitoring().live()).isTrue();
    assertThat(api.seen("GET /health/ready")).hasSize(1);
  }

  @Test
  void emptyPagesInTheMiddleDoNotEndAList() {
    assertThat(
            PageOf.<Integer>stream(
                cursor ->
                    switch (cursor) {
                      case null -> new PageOf<>(List.of(1), "a");
                      case "a" -> new PageOf<>(List.of(), "b");
                      default -> new PageOf<>(List.of(2), null);
                    }))
        .containsExactly(1, 2);
  }
}
