package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Our validator agrees with a well-known one, for every schema of the document. */
class SchemaOracleTest {
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final int ROUNDS = Boolean.getBoolean("millrace.proof") ? 2_000 : 60;

  private final String text = new String(OpenApiDocument.load().bytes(), StandardCharsets.UTF_8);
  private final JsonObject document = Json.object(text);
  private final DocumentedResponseCheck oracle = new DocumentedResponseCheck(text);
  private final Random random = new Random(SEED);
  private int valid;
  private int broken;

  @Test
  void bothValidatorsAgreeOnRandomValues() {
    Map<String, Object> schemas = new TreeMap<>();
    JsonObject components = document.object("components");
    components
        .object("schemas")
        .values()
        .forEach((name, schema) -> schemas.put("/components/schemas/" + name, schema));
    components
        .object("parameters")
        .values()
        .keySet()
        .forEach(
            name ->
                schemas.put(
                    "/components/parameters/" + name + "/schema",
                    components.object("parameters").object(name).get("schema")));
    RandomSchemaValues values = new RandomSchemaValues(document, random);
    schemas.forEach(
        (pointer, source) -> {
          Schema schema = new SchemaCompiler(document).compile(source, pointer);
          for (int i = 0; i < ROUNDS; i++) {
            Object value = values.of(source, 0);
            compare(pointer, schema, value);
            compare(pointer, schema, values.broken(value));
          }
        });
    assertThat(valid).as("valid values, seed %d", SEED).isGreaterThan(schemas.size() * ROUNDS / 3);
    assertThat(broken).as("broken ones, seed %d", SEED).isGreaterThan(schemas.size() * ROUNDS / 3);
  }

  private void compare(String pointer, Schema schema, @Nullable Object value) {
    String json = Json.write(value);
    SchemaViolation violation = schema.violation(Json.parse(json), 0);
    List<String> errors = oracle.errors(pointer, json);
    assertThat(violation == null)
        .as("%s, seed %d: %s%nours: %s, theirs: %s", pointer, SEED, json, violation, errors)
        .isEqualTo(errors.isEmpty());
    if (violation == null) {
      valid++;
    } else {
      broken++;
    }
  }
}
