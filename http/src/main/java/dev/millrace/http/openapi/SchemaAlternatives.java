package dev.millrace.http.openapi;

import dev.millrace.http.route.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rule that a value must match one of several schemas ({@code oneOf}, {@code anyOf}). If none
 * matches, the error is about the schema that the discriminator names, else about the one whose form
 * the value has, else about the one whose first violation is deepest, then latest in a list.
 *
 * @param exactlyOne whether only one may match
 * @param discriminator the property that names the schema; null if there is none
 * @param mapping schemas by the value of that property
 */
record SchemaAlternatives(
    List<Schema> schemas,
    boolean exactlyOne,
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
    int matching = 0;
    for (Schema schema : schemas) {
      if (schema.violation(value, depth + 1) == null) {
        matching++;
        if (!exactlyOne) {
          return null;
        }
      }
    }
    if (matching == 1) {
      return null;
    }
    return matching == 0
        ? mostLikely(value, depth + 1)
        : SchemaViolation.malformed("must be only one of: " + titles(schemas));
  }

  private SchemaViolation mostLikely(@Nullable Object value, int depth) {
    Map<String, @Nullable Object> fields = SchemaRules.fields(value);
    if (discriminator != null && fields != null) {
      Object named = fields.get(discriminator);
      Schema selected = named == null ? null : mapping.get(named.toString());
      SchemaViolation violation =
          selected == null ? unmapped(discriminator, fields) : selected.violation(value, depth);
      if (violation != null) {
        return violation;
      }
    }
    List<Schema> candidates = new ArrayList<>(schemas);
    candidates.removeIf(schema -> !schema.type().allows(value));
    candidates.removeIf(mapping::containsValue);
    if (candidates.size() == 1) {
      SchemaViolation violation = candidates.getFirst().violation(value, depth);
      return violation == null ? noMatch() : violation;
    }
    return closest(candidates, value, depth);
  }

  /** The discriminator itself is wrong, if it has to name one of the schemas. */
  private @Nullable SchemaViolation unmapped(String name, Map<String, @Nullable Object> fields) {
    if (!mapping.values().containsAll(schemas)) {
      return null;
    }
    if (!fields.containsKey(name)) {
      return SchemaViolation.malformed("must have required property '" + name + "'")
          .of(Problem.Flaw.MISSING, name);
    }
    List<String> names = mapping.keySet().stream().sorted().toList();
    return Objects.requireNonNull(SchemaRules.oneOf(names, false).violation(fields.get(name), 0))
        .under(name);
  }

  private SchemaViolation closest(List<Schema> candidates, @Nullable Object value, int depth) {
    SchemaViolation best = noMatch();
    for (Schema schema : candidates) {
      SchemaViolation violation = schema.violation(value, depth);
      if (violation != null && violation.isCloserThan(best)) {
        best = violation;
      }
    }
    return best;
  }

  private SchemaViolation noMatch() {
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
