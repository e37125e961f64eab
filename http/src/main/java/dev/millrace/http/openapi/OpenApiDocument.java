package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The OpenAPI document, which is both served and used to check requests, so that the two cannot
 * differ. Immutable.
 */
public final class OpenApiDocument {
  /**
   * One operation.
   *
   * @param method in capitals
   * @param path with names in braces
   * @param scope what the caller's key must allow
   * @param body the schema of the JSON body; null: no body
   */
  public record Operation(
      String id,
      String method,
      String path,
      KeyScope scope,
      List<Parameter> parameters,
      @Nullable Schema body,
      boolean bodyRequired) {
    public Operation {
      parameters = List.copyOf(parameters);
    }

    /**
     * Checks a request's query.
     *
     * @param query the decoded values by name
     * @throws Problem INVALID, naming the parameter and the rule
     */
    public void checkQuery(Map<String, ? extends Collection<String>> query) {
      for (Map.Entry<String, ? extends Collection<String>> given : query.entrySet()) {
        Parameter parameter = query(given.getKey());
        parameter.checkAll(given.getValue(), "request/query/" + parameter.name());
      }
      for (Parameter parameter : parameters) {
        if (parameter.required()
            && parameter.in().equals("query")
            && !query.containsKey(parameter.name())) {
          throw SchemaViolation.invalid("must have required parameter '" + parameter.name() + "'")
              .toProblem("request/query");
        }
      }
    }

    private Parameter query(String name) {
      List<Parameter> known =
          parameters.stream().filter(parameter -> parameter.in().equals("query")).toList();
      for (Parameter parameter : known) {
        if (parameter.name().equals(name)) {
          return parameter;
        }
      }
      SchemaViolation unknown =
          SchemaRules.unknown("parameter", name, known.stream().map(Parameter::name).toList());
      throw unknown.asInvalid().toProblem("request/query");
    }
  }

  /**
   * A parameter.
   *
   * @param in path, query or header
   */
  public record Parameter(String name, String in, boolean required, Schema schema) {

    /** A list is given as several parameters of one name; anything else once. */
    private void checkAll(Collection<String> values, String where) {
      if (schema.type().isListOnly()) {
        schema.check(List.copyOf(values), where);
      } else if (values.size() == 1) {
        schema.parseAndCheck(values.iterator().next(), where);
      } else {
        throw SchemaViolation.invalid("must be given once").toProblem(where);
      }
    }
  }

  private final byte[] bytes;
  private final Map<String, Operation> operations;

  private OpenApiDocument(byte[] bytes, Map<String, Operation> operations) {
    this.bytes = bytes;
    this.operations = Collections.unmodifiableMap(operations);
  }

  /**
   * The document that this server serves, assembled from its parts.
   *
   * @throws JsonException if it has a rule that this server does not check
   */
  public static OpenApiDocument load() {
    JsonObject document = OpenApiParts.assemble();
    String text = Json.pretty(document) + "\n";
    return new OpenApiDocument(text.getBytes(StandardCharsets.UTF_8), operations(document));
  }

  public static OpenApiDocument read(byte[] bytes) {
    JsonObject document = Json.object(new String(bytes, StandardCharsets.UTF_8));
    return new OpenApiDocument(bytes, operations(document));
  }

  private static Map<String, Operation> operations(JsonObject document) {
    Map<String, Operation> operations = new LinkedHashMap<>();
    for (Operation operation : new OperationReader(document).operations()) {
      if (operations.put(operation.id(), operation) != null) {
        throw new JsonException("operationId \"" + operation.id() + "\" is repeated");
      }
    }
    return operations;
  }

  public Optional<Operation> operation(String operationId) {
    return Optional.ofNullable(operations.get(operationId));
  }

  /** All operations, in the order of the document. */
  public Collection<Operation> operations() {
    return operations.values();
  }

  /** The document as served: JSON in UTF-8. */
  public byte[] bytes() {
    return bytes.clone();
  }
}
