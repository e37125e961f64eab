package dev.millrace.server.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds a body against what the document says of it. */
record BodyCheck(@Nullable Object value, boolean given) {

  void check(OpenApi.Operation operation) {
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
