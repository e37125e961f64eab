package dev.millrace.http.openapi;

import dev.millrace.http.route.Problem;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks a body against the schema of its operation. */
public record BodyCheck(@Nullable Object value, boolean given) {

  public void check(OpenApiDocument.Operation operation) {
    Schema schema = operation.body();
    if (schema == null) {
      if (given && !(value instanceof Map<?, ?> map && map.isEmpty())) {
        throw new Problem(
            Problem.Kind.MALFORMED, "request/body must be empty: nothing is read here");
      }
    } else if (given) {
      schema.check(value, "request/body");
    } else if (operation.bodyRequired()) {
      throw new Problem(Problem.Kind.MALFORMED, "request must have a body of JSON");
    }
  }
}
