package dev.millrace.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules about several schemas for one value. Which of them was meant cannot be known when none
 * fits; the error is about the one that the discriminator names, else the one that the value came
 * farthest in.
 *
 * @param exactly whether only one may fit
 * @param discriminator the property that tells, where there is one
 * @param mapping its values
 */
record Choices(
    List<Schema> schemas,
    boolean exactly,
    @Nullable String discriminator,
    Map<String, Schema> mapping)
    implements Schema.Rule {

  static Schema.Rule not(Schema schema, String words) {
    return (value, depth) ->
        schema.test(value, depth + 1) == null ? Fault.value("must not be " + words) : null;
  }

  static Schema.Rule reference(Schema schema) {
    return (value, depth) -> schema.test(value, depth + 1);
  }

  @Override
  public @Nullable Fault test(@Nullable Object value, int depth) {
    int fitting = 0;
    for (Schema schema : schemas) {
      if (schema.test(value, depth + 1) == null) {
        fitting++;
        if (!exactly) {
          return null;
        }
      }
    }
    if (fitting == 1) {
      return null;
    }
    return fitting == 0
        ? likeliest(value, depth + 1)
        : Fault.shape("must be only one of: " + titles(schemas));
  }

  private Fault likeliest(@Nullable Object value, int depth) {
    Map<String, @Nullable Object> fields = Rules.fields(value);
    if (discriminator != null && fields != null) {
      Object tells = fields.get(discriminator);
      Schema meant = tells == null ? null : mapping.get(tells.toString());
      Fault fault = meant == null ? null : meant.test(value, depth);
      if (fault != null) {
        return fault;
      }
    }
    List<Schema> candidates = new ArrayList<>(schemas);
    candidates.removeIf(schema -> !schema.type().allows(value));
    candidates.removeIf(mapping::containsValue);
    if (candidates.size() == 1) {
      Fault fault = candidates.getFirst().test(value, depth);
      return fault == null ? none() : fault;
    }
    return farthest(candidates, value, depth);
  }

  private Fault farthest(List<Schema> candidates, @Nullable Object value, int depth) {
    Fault best = none();
    for (Schema schema : candidates) {
      Fault fault = schema.test(value, depth);
      if (fault != null && fault.depth() > best.depth()) {
        best = fault;
      }
    }
    return best;
  }

  private Fault none() {
    String titles = titles(schemas);
    return Fault.shape(titles.contains("; ") ? "must be one of: " + titles : "must be " + titles);
  }

  private static String titles(List<Schema> schemas) {
    return schemas.stream()
        .map(schema -> schema.title().isEmpty() ? schema.type().toString() : schema.title())
        .distinct()
        .collect(Collectors.joining("; "));
  }
}
