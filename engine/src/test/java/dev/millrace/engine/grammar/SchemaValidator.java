package dev.millrace.engine.grammar;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a value satisfies a JSON schema, written from the standard and not from the grammars. */
public final class SchemaValidator {
  private final Object root;

  private SchemaValidator(Object root) {
    this.root = root;
  }

  public static boolean holds(Object schema, @Nullable Object value) {
    return new SchemaValidator(schema).check(schema, value);
  }

  private boolean check(@Nullable Object schema, @Nullable Object value) {
    if (schema instanceof Boolean any) {
      return any;
    }
    Map<?, ?> map = (Map<?, ?>) schema;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!keyword((String) entry.getKey(), entry.getValue(), map, value)) {
        return false;
      }
    }
    return true;
  }

  private boolean keyword(
      String name, @Nullable Object rule, Map<?, ?> schema, @Nullable Object value) {
    return switch (name) {
      case "type" ->
          (rule instanceof List<?> types ? types : List.of(rule))
              .stream().anyMatch(type -> isOf((String) type, value));
      case "const" -> same(rule, value);
      case "enum" -> ((List<?>) rule).stream().anyMatch(option -> same(option, value));
      case "$ref" -> check(resolve((String) rule), value);
      case "allOf" -> ((List<?>) rule).stream().allMatch(part -> check(part, value));
      case "anyOf" -> ((List<?>) rule).stream().anyMatch(part -> check(part, value));
      case "oneOf" -> ((List<?>) rule).stream().filter(part -> check(part, value)).count() == 1;
      case "minimum" -> !(value instanceof BigDecimal n) || n.compareTo(decimal(rule)) >= 0;
      case "maximum" -> !(value instanceof BigDecimal n) || n.compareTo(decimal(rule)) <= 0;
      case "exclusiveMinimum" -> !(value instanceof BigDecimal n) || n.compareTo(decimal(rule)) > 0;
      case "exclusiveMaximum" -> !(value instanceof BigDecimal n) || n.compareTo(decimal(rule)) < 0;
      case "minLength" ->
          !(value instanceof String s) || s.codePointCount(0, s.length()) >= (int) rule;
      case "maxLength" ->
          !(value instanceof String s) || s.codePointCount(0, s.length()) <= (int) rule;
      case "pattern" ->
          !(value instanceof String s)
              || java.util.regex.Pattern.compile((String) rule).matcher(s).find();
      case "format" -> !(value instanceof String s) || format((String) rule, s);
      case "required" -> !(value instanceof Map<?, ?> m) || m.keySet().containsAll((List<?>) rule);
      case "properties" -> !(value instanceof Map<?, ?> m) || properties((Map<?, ?>) rule, m);
      case "additionalProperties" -> !(value instanceof Map<?, ?> m) || additional(rule, schema, m);
      case "minItems" -> !(value instanceof List<?> l) || l.size() >= (int) rule;
      case "maxItems" -> !(value instanceof List<?> l) || l.size() <= (int) rule;
      case "prefixItems" -> !(value instanceof List<?> l) || prefix((List<?>) rule, l);
      case "items" -> !(value instanceof List<?> l) || items(rule, schema, l);
      case "$defs", "title", "description" -> true;
      default -> throw new AssertionError(name);
    };
  }

  private static boolean isOf(String type, @Nullable Object value) {
    return switch (type) {
      case "null" -> value == null;
      case "boolean" -> value instanceof Boolean;
      case "string" -> value instanceof String;
      case "number" -> value instanceof BigDecimal;
      case "integer" -> value instanceof BigDecimal n && n.stripTrailingZeros().scale() <= 0;
      case "array" -> value instanceof List;
      default -> value instanceof Map;
    };
  }

  static BigDecimal decimal(@Nullable Object number) {
    return new BigDecimal(String.valueOf(number));
  }

  private static boolean same(@Nullable Object a, @Nullable Object b) {
    if (a instanceof Number && b instanceof Number) {
      return decimal(a).compareTo(decimal(b)) == 0;
    }
    if (a instanceof List<?> x && b instanceof List<?> y) {
      boolean same = x.size() == y.size();
      for (int i = 0; same && i < x.size(); i++) {
        same = same(x.get(i), y.get(i));
      }
      return same;
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      return x.keySet().equals(y.keySet())
          && x.keySet().stream().allMatch(key -> same(x.get(key), y.get(key)));
    }
    return java.util.Objects.equals(a, b);
  }

  private Object resolve(String pointer) {
    Object at = root;
    for (String part : pointer.equals("#") ? new String[0] : pointer.substring(2).split("/")) {
      at = ((Map<?, ?>) at).get(part);
    }
    return at;
  }

  private boolean properties(Map<?, ?> rules, Map<?, ?> value) {
    return rules.keySet().stream()
        .allMatch(name -> !value.containsKey(name) || check(rules.get(name), value.get(name)));
  }

  private boolean additional(@Nullable Object rule, Map<?, ?> schema, Map<?, ?> value) {
    Object known = schema.get("properties");
    return value.keySet().stream()
        .filter(name -> !(known instanceof Map<?, ?> map && map.containsKey(name)))
        .allMatch(name -> check(rule, value.get(name)));
  }

  private boolean prefix(List<?> rules, List<?> value) {
    for (int i = 0; i < Math.min(rules.size(), value.size()); i++) {
      if (!check(rules.get(i), value.get(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean items(@Nullable Object rule, Map<?, ?> schema, List<?> value) {
    int from = schema.get("prefixItems") instanceof List<?> prefix ? prefix.size() : 0;
    return value.stream().skip(from).allMatch(item -> check(rule, item));
  }

  private static boolean format(String format, String text) {
    try {
      switch (format) {
        case "date" -> java.time.LocalDate.parse(text);
        case "time" -> java.time.OffsetTime.parse(withNarrowOffset(text));
        case "date-time" -> java.time.OffsetDateTime.parse(withNarrowOffset(text));
        case "uuid" -> java.util.UUID.fromString(text);
        default -> throw new AssertionError(format);
      }
      return true;
    } catch (java.time.format.DateTimeParseException | IllegalArgumentException e) {
      return false;
    }
  }

  /** Offsets go to 23:59 in RFC 3339 but to 18:00 in java.time. */
  private static String withNarrowOffset(String text) {
    return text.replaceAll("([+-])(1[89]|2\\d):\\d\\d$", "$111:00");
  }
}
