package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules of JSON Schema keywords; each ignores values that it does not apply to. */
final class SchemaRules {
  private SchemaRules() {}

  static Schema.Rule type(SchemaType type) {
    return (value, depth) ->
        type.allows(value)
            ? null
            : SchemaViolation.malformed("must be " + type + ", not " + kind(value));
  }

  static Schema.Rule required(List<String> names) {
    return (value, depth) -> {
      Map<String, @Nullable Object> fields = fields(value);
      if (fields != null) {
        for (String name : names) {
          if (!fields.containsKey(name)) {
            return SchemaViolation.malformed("must have required property '" + name + "'")
                .of(Problem.Flaw.MISSING, name);
          }
        }
      }
      return null;
    };
  }

  /**
   * @param others the schema of further properties; null: no others are allowed
   */
  static Schema.Rule properties(Map<String, Schema> known, @Nullable Schema others) {
    return (value, depth) -> {
      Map<String, @Nullable Object> fields = fields(value);
      if (fields == null) {
        return null;
      }
      for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
        Schema schema = known.getOrDefault(field.getKey(), others);
        if (schema == null) {
          return unknown("property", field.getKey(), known.keySet());
        }
        SchemaViolation violation = schema.violation(field.getValue(), depth + 1);
        if (violation != null) {
          return violation.under(field.getKey());
        }
      }
      return null;
    };
  }

  /** An unknown name, with a suggestion. */
  static SchemaViolation unknown(String what, String name, Collection<String> known) {
    String hint = NameSuggestion.hint(name, known);
    String all = known.isEmpty() ? "; there are none" : "; known: " + String.join(", ", known);
    return SchemaViolation.malformed(
            "has an unknown "
                + what
                + " \""
                + SchemaViolation.shorten(name)
                + "\""
                + (hint.isEmpty() ? all : hint))
        .of(Problem.Flaw.UNKNOWN, name);
  }

  static Schema.Rule items(Schema schema) {
    return (value, depth) -> {
      if (value instanceof List<?> list) {
        for (int i = 0; i < list.size(); i++) {
          SchemaViolation violation = schema.violation(list.get(i), depth + 1);
          if (violation != null) {
            return violation.under(Integer.toString(i));
          }
        }
      }
      return null;
    };
  }

  static Schema.Rule oneOf(List<?> values, boolean constant) {
    Set<Object> allowed = values.stream().map(SchemaRules::normalized).collect(Collectors.toSet());
    String message =
        constant
            ? "must be " + Json.write(values.getFirst())
            : "must be one of "
                + values.stream()
                    .map(v -> v instanceof String text ? text : Json.write(v))
                    .collect(Collectors.joining(", "));
    List<String> names = values.stream().map(String::valueOf).toList();
    return (value, depth) ->
        allowed.contains(normalized(value))
            ? null
            : SchemaViolation.invalid(
                message + (value instanceof String text ? NameSuggestion.hint(text, names) : ""));
  }

  /** Normalizes numbers, so that equal values are equal objects. */
  private static Object normalized(@Nullable Object value) {
    return switch (value) {
      case null -> Void.class;
      case Long number -> number;
      case Integer number -> number.longValue();
      case BigDecimal number when number.stripTrailingZeros().scale() <= 0 && small(number) ->
          number.longValueExact();
      case BigDecimal number -> number.stripTrailingZeros();
      default -> value;
    };
  }

  private static boolean small(BigDecimal number) {
    return number.precision() - number.scale() <= 18;
  }

  /** A lower bound if {@code sign} is 1, an upper bound if it is -1. */
  static Schema.Rule bound(Number bound, int sign, boolean exclusive) {
    BigDecimal limit = new BigDecimal(bound.toString());
    String message = "must be " + (exclusive ? "" : "at ") + word(sign, exclusive) + " " + bound;
    return (value, depth) -> {
      if (!(value instanceof Number number)) {
        return null;
      }
      int order =
          number instanceof Long exact && bound instanceof Long other
              ? Long.compare(exact, other)
              : decimal(number).compareTo(limit);
      int side = sign * order;
      return side > 0 || side == 0 && !exclusive
          ? null
          : SchemaViolation.invalid(message + ", not " + number);
    };
  }

  private static String word(int sign, boolean exclusive) {
    if (exclusive) {
      return sign > 0 ? "above" : "below";
    }
    return sign > 0 ? "least" : "most";
  }

  private static BigDecimal decimal(Number number) {
    return number instanceof BigDecimal exact ? exact : new BigDecimal(number.toString());
  }

  static Schema.Rule length(long from, long to) {
    String message =
        from == 1 && to == Long.MAX_VALUE
            ? "must not be empty"
            : "must have " + range(from, to) + " characters";
    return (value, depth) -> {
      if (!(value instanceof String text)) {
        return null;
      }
      int length = text.length();
      boolean sure = length <= to && length >= 2 * from; // no need to count surrogate pairs
      if (!sure) {
        length = text.codePointCount(0, length);
      }
      boolean fits = length >= from && length <= to;
      return fits
          ? null
          : SchemaViolation.invalid(length == 0 ? message : message + ", not " + length);
    };
  }

  static Schema.Rule size(long from, long to) {
    String message = "must have " + range(from, to) + " items";
    return (value, depth) ->
        value instanceof List<?> list && (list.size() < from || list.size() > to)
            ? SchemaViolation.invalid(message + ", not " + list.size())
            : null;
  }

  private static String range(long from, long to) {
    if (to == Long.MAX_VALUE) {
      return "at least " + from;
    }
    return from == 0 ? "at most " + to : from + " to " + to;
  }

  static Schema.Rule pattern(String pattern) {
    // In Java, '$' also matches before a final line break.
    Pattern compiled = Pattern.compile(pattern.replaceFirst("\\$$", "\\\\z"));
    return (value, depth) ->
        value instanceof String text && !compiled.matcher(text).find()
            ? SchemaViolation.invalid("must match " + pattern)
            : null;
  }

  static Schema.Rule format(StringFormat format) {
    return (value, depth) ->
        value instanceof String text && !format.matches(text)
            ? SchemaViolation.invalid("must be " + format.description())
            : null;
  }

  /** The fields of an object; null if the value is not an object. */
  @SuppressWarnings("unchecked") // the reader makes maps with string keys only
  static @Nullable Map<String, @Nullable Object> fields(@Nullable Object value) {
    return switch (value) {
      case JsonObject object -> object.values();
      case Map<?, ?> map -> (Map<String, @Nullable Object>) map;
      case null, default -> null;
    };
  }

  private static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> "text";
      case Number number -> "the number " + SchemaViolation.shorten(number.toString());
      case Boolean flag -> Objects.toString(flag);
      case List<?> list -> "a list";
      default -> "an object";
    };
  }
}
