package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The schema of a job document and the code that reads it have the same fields. */
class PipelineSchemaTest {
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());

  private final OpenApiDocument api = OpenApiDocument.load();
  private final JsonObject document = Json.object(new String(api.bytes(), StandardCharsets.UTF_8));
  private final Schema schema =
      Objects.requireNonNull(api.operation("createPipeline").orElseThrow().body());

  @Test
  void schemaAndReaderHaveTheSameFields() {
    assertFields("{\"?\": 1}", "JobDocument", Set.of());
    assertFields("{\"stages\": [{\"?\": 1}]}", "DocumentStage", Set.of("tasksFile"));
    assertFields("{\"webhooks\": [{\"?\": 1}]}", "Webhook", Set.of());
    assertFields("{\"stages\": [{\"type\": \"a\", \"backoff\": {\"?\": 1}}]}", "Backoff", Set.of());
  }

  @Test
  void taskHasTheSameFieldsInBoth() {
    Set<String> names = new TreeSet<>();
    for (Object form : document("DocumentTask").list("oneOf")) {
      names.addAll(JsonObject.of(form, "form").object("properties").values().keySet());
    }
    assertThat(names)
        .isEqualTo(known("{\"stages\": [{\"type\": \"a\", \"tasks\": [{\"?\": 1}]}]}"));
  }

  private void assertFields(String probe, String name, Set<String> onlyInFiles) {
    Set<String> expected = known(probe);
    expected.removeAll(onlyInFiles);
    assertThat(new TreeSet<>(document(name).object("properties").values().keySet()))
        .as(name)
        .isEqualTo(expected);
  }

  private JsonObject document(String name) {
    return document.object("components").object("schemas").object(name);
  }

  /** The fields that the reader lists in its error about an unknown one. */
  private static Set<String> known(String probe) {
    String message =
        catchThrowable(() -> JobDocument.read(Json.object(probe), JobDocument.INLINE)).getMessage();
    return new TreeSet<>(
        Set.of(message.substring(message.indexOf("known: ") + "known: ".length()).split(", ")));
  }

  @Test
  void validDocumentsAreReadOrRefusedForAReason() {
    RandomSchemaValues values = new RandomSchemaValues(document, new Random(SEED));
    int read = 0;
    for (int i = 0; i < 2_000; i++) {
      Object value = values.of(Map.of("$ref", "#/components/schemas/JobDocument"), 0);
      if (schema.violation(value, 0) == null) {
        Throwable refusal =
            catchThrowable(
                () -> JobDocument.read(JsonObject.of(value, "document"), JobDocument.INLINE));
        assertThat(
                refusal == null
                    || refusal instanceof IllegalArgumentException
                    || refusal instanceof JsonException)
            .as("seed %d: %s: %s", SEED, Json.write(value), refusal)
            .isTrue();
        assertThat(String.valueOf(refusal))
            .as("seed %d: %s", SEED, Json.write(value))
            .doesNotContain("unknown field", "must be text", "must be a list", "must be an object");
        read += refusal == null ? 1 : 0;
      }
    }
    assertThat(read).as("documents that both accept, seed %d", SEED).isGreaterThan(20);
  }

  @Test
  void everyExampleCanBeRead() {
    JsonObject body =
        document.object("paths").object("/v1/pipelines").object("post").object("requestBody");
    JsonObject examples = body.object("content").object("application/json").object("examples");
    for (String name : examples.values().keySet()) {
      assertThatCode(
              () -> JobDocument.read(examples.object(name).object("value"), JobDocument.INLINE))
          .as(name)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void tasksFileIsRefusedByName() {
    assertThatThrownBy(
            () ->
                schema.check(
                    Json.parse("{\"stages\": [{\"type\": \"a\", \"tasksFile\": \"/etc/passwd\"}]}"),
                    "request/body"))
        .hasMessageStartingWith("request/body/stages/0 has an unknown property \"tasksFile\"");
  }
}
