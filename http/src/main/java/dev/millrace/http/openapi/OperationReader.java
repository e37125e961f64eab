package dev.millrace.http.openapi;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the operations of a document and compiles all its schemas, also those of responses. */
final class OperationReader {
  private static final String JSON = "application/json";
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

  private final JsonObject document;
  private final SchemaCompiler schemas;

  OperationReader(JsonObject document) {
    this.document = document;
    this.schemas = new SchemaCompiler(document);
  }

  List<OpenApiDocument.Operation> operations() {
    checkReferences(document.values());
    JsonObject components = document.object("components");
    components
        .object("schemas")
        .values()
        .forEach((name, source) -> schemas.compile(source, "#/components/schemas/" + name));
    components.object("responses").values().forEach((name, response) -> response(response, name));
    List<OpenApiDocument.Operation> operations = new ArrayList<>();
    document
        .object("paths")
        .values()
        .forEach((path, item) -> operations.addAll(path(path, JsonObject.of(item, path))));
    return operations;
  }

  /** Refuses a broken reference anywhere in the document. */
  private void checkReferences(@Nullable Object value) {
    switch (value) {
      case Map<?, ?> map -> {
        if (map.get("$ref") instanceof String reference) {
          schemas.resolve(reference);
        }
        map.values().forEach(this::checkReferences);
      }
      case List<?> list -> list.forEach(this::checkReferences);
      case null, default -> {}
    }
  }

  private List<OpenApiDocument.Operation> path(String path, JsonObject item) {
    List<OpenApiDocument.Operation> operations = new ArrayList<>();
    item.only(METHODS)
        .values()
        .forEach(
            (method, operation) -> {
              String where = method + " " + path;
              operations.add(operation(path, method, JsonObject.of(operation, where), where));
            });
    return operations;
  }

  private OpenApiDocument.Operation operation(
      String path, String method, JsonObject in, String where) {
    List<OpenApiDocument.Parameter> parameters = new ArrayList<>();
    for (Object parameter : in.list("parameters")) {
      parameters.add(parameter(resolved(parameter, where), where));
    }
    JsonObject body = in.has("requestBody") ? resolved(in.get("requestBody"), where) : null;
    in.object("responses").values().forEach((status, response) -> response(response, where));
    return new OpenApiDocument.Operation(
        in.string("operationId"),
        method.toUpperCase(Locale.ROOT),
        path,
        scope(in.string("x-scope"), where),
        parameters,
        body == null ? null : content(body, where),
        body != null && body.flag("required", false));
  }

  private OpenApiDocument.Parameter parameter(JsonObject in, String where) {
    String name = in.string("name");
    return new OpenApiDocument.Parameter(
        name,
        in.string("in"),
        in.flag("required", false),
        schemas.compile(in.get("schema"), where + " " + name));
  }

  private void response(@Nullable Object response, String where) {
    JsonObject in = resolved(response, where);
    content(in, where);
    in.object("headers")
        .values()
        .forEach(
            (name, header) ->
                schemas.compile(resolved(header, where).get("schema"), where + " " + name));
  }

  private @Nullable Schema content(JsonObject in, String where) {
    JsonObject json = in.object("content").object(JSON);
    return json.has("schema") ? schemas.compile(json.get("schema"), where + " body") : null;
  }

  private JsonObject resolved(@Nullable Object value, String where) {
    JsonObject in = JsonObject.of(value, where);
    String reference = in.string("$ref", null);
    return reference == null ? in : JsonObject.of(schemas.resolve(reference), reference);
  }

  private static KeyScope scope(String word, String where) {
    for (KeyScope scope : KeyScope.values()) {
      if (scope.word().equals(word)) {
        return scope;
      }
    }
    throw new JsonException(where + " has the scope \"" + word + "\", unknown here");
  }
}
