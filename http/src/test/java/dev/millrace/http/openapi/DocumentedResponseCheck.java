package dev.millrace.http.openapi;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks real responses against the OpenAPI document with an independent validator, so that the
 * test does not depend on our own. Thread-safe.
 */
public final class DocumentedResponseCheck {
  private static final String HOME = "https://millrace.test/openapi.json";
  private static final List<Integer> ANYWHERE = List.of(404, 405, 408, 431);

  private final JsonObject document;
  private final SchemaRegistry registry;

  public DocumentedResponseCheck() {
    this(new String(OpenApiDocument.load().bytes(), StandardCharsets.UTF_8));
  }

  DocumentedResponseCheck(String text) {
    this.document = Json.object(text);
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build();
    this.registry =
        SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemaRegistryConfig(config).schemas(Map.of(HOME, text)));
  }

  /**
   * Checks one response: the operation documents its status, the status documents its content type,
   * and a JSON body is valid.
   *
   * @param contentType null if the response has none
   * @param body empty if there is none
   * @throws AssertionError naming what is not documented
   */
  public void check(String operationId, int status, @Nullable String contentType, String body) {
    String what = operationId + " " + status;
    String at = response(operationId, status);
    if (at == null) {
      if (ANYWHERE.contains(status)) {
        return;
      }
      throw new AssertionError(what + " is not in the document; body: " + body);
    }
    JsonObject content = JsonObject.of(at(at), what).object("content");
    if (content.values().isEmpty()) {
      require(body.isEmpty(), what + " has no body in the document, but: " + body);
      return;
    }
    String media = media(contentType);
    require(
        content.has(media),
        what + " is " + media + ", in the document " + content.values().keySet());
    if (media.equals("application/json")) {
      List<String> errors = errors(at + "/content/application~1json/schema", body);
      require(errors.isEmpty(), what + ": " + String.join("; ", errors) + "\nbody: " + body);
    }
  }

  /**
   * Checks a value that is not a whole body, such as the data of an event.
   *
   * @param schema the name of its schema
   */
  public void checkSchema(String schema, JsonObject value) {
    List<String> errors = errors("/components/schemas/" + schema, Json.write(value));
    require(errors.isEmpty(), schema + ": " + String.join("; ", errors) + "\n" + value);
  }

  private static String media(@Nullable String contentType) {
    return contentType == null
        ? "nothing"
        : contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  /** The errors that the other validator finds in a value, by the schema at {@code pointer}. */
  List<String> errors(String pointer, String json) {
    return registry
        .getSchema(SchemaLocation.of(HOME + "#" + pointer))
        .validate(json, InputFormat.JSON)
        .stream()
        .map(Error::toString)
        .toList();
  }

  private @Nullable String response(String operationId, int status) {
    for (Map.Entry<String, @Nullable Object> path : document.object("paths").values().entrySet()) {
      JsonObject item = JsonObject.of(path.getValue(), path.getKey());
      for (String method : new TreeSet<>(item.values().keySet())) {
        JsonObject operation = item.object(method);
        if (operationId.equals(operation.string("operationId", null))) {
          String at = "/paths/" + escape(path.getKey()) + "/" + method + "/responses/" + status;
          JsonObject answer = operation.object("responses").object(Integer.toString(status));
          String reference = answer.string("$ref", null);
          return answer.values().isEmpty() ? null : reference == null ? at : reference.substring(1);
        }
      }
    }
    throw new AssertionError("the document has no operation " + operationId);
  }

  /** The value at a JSON pointer. */
  @Nullable Object at(String pointer) {
    Object at = document.values();
    for (String step : pointer.substring(1).split("/", -1)) {
      String name = step.replace("~1", "/").replace("~0", "~");
      at =
          switch (at) {
            case Map<?, ?> map -> map.get(name);
            case List<?> list -> list.get(Integer.parseInt(name));
            case null, default -> throw new AssertionError("nothing at " + pointer);
          };
    }
    return at;
  }

  static String escape(String step) {
    return step.replace("~", "~0").replace("/", "~1");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
