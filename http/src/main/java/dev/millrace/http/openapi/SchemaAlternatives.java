package dev.millrace.http.openapi;

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
record SchemaAlternatives(
    List<Schema> schemas,
    boolean exactly,
    @Nullable String discriminator,
    Map<String, Schema> mapping)
    implements Schema.Rule {

  static Schema.Rule not(Schema schema, String words) {
    return (value, depth) ->
        schema.violation(value, depth + 1) == null
            ? SchemaViolation.invalid("must not be " + words)
            : null;
  }

  static Schema.Rule reference(Schema schema) {
    return (value, depth) -> schema.violation(value, depth + 1);
  }

  @Override
  public @Nullable SchemaViolation violation(@Nullable Object value, int depth) {
    int fitting = 0;
    for (Schema schema : schemas) {
      if (schema.violation(value, depth + 1) == null) {
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
        : SchemaViolation.malformed("must be only one of: " + titles(schemas));
  }

  private SchemaViolation likeliest(@Nullable Object value, int depth) {
    Map<String, @Nullable Object> fields = SchemaRules.fields(value);
    if (discriminator != null && fields != null) {
      Object tells = fields.get(discriminator);
      Schema meant = tells == null ? null : mapping.get(tells.toString());
      SchemaViolation fault = meant == null ? null : meant.violation(value, depth);
      if (fault != null) {
        return fault;
      }
    }
    List<Schema> candidates = new ArrayList<>(schemas);
    candidates.removeIf(schema -> !schema.type().allows(value));
    candidates.removeIf(mapping::containsValue);
    if (candidates.size() == 1) {
      SchemaViolation fault = candidates.getFirst().violation(value, depth);
      return fault == null ? none() : fault;
    }
    return farthest(candidates, value, depth);
  }

  private SchemaViolation farthest(List<Schema> candidates, @Nullable Object value, int depth) {
    SchemaViolation best = none();
    for (Schema schema : candidates) {
      SchemaViolation fault = schema.violation(value, depth);
      if (fault != null && fault.depth() > best.depth()) {
        best = fault;
      }
    }
    return best;
  }

  private SchemaViolation none() {
    String titles = titles(schemas);
    return SchemaViolation.malformed(
        titles.contains("; ") ? "must be one of: " + titles : "must be " + titles);
  }

  private static String titles(List<Schema> schemas) {
    return schemas.stream()
        .map(schema -> schema.title().isEmpty() ? schema.type().toString() : schema.title())
        .distinct()
        .collect(Collectors.joining("; "));
  }
}
