package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.GrammarRules;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A schema and its location, with typed access to its keywords.
 *
 * @param path a JSON pointer, for messages
 * @param budget is charged for the keywords that are copied
 */
record SchemaNode(String path, Map<String, @Nullable Object> keywords, CompileBudget budget) {
  static final Set<String> TYPES =
      Set.of("object", "array", "string", "number", "integer", "boolean", "null");
  static final Set<String> ANNOTATIONS =
      Set.of(
          "title",
          "description",
          "default",
          "examples",
          "$schema",
          "$id",
          "$comment",
          "$defs",
          "definitions",
          "deprecated",
          "readOnly",
          "writeOnly");
  private static final Set<String> KNOWN =
      Set.of(
          "type",
          "properties",
          "required",
          "additionalProperties",
          "items",
          "prefixItems",
          "minItems",
          "maxItems",
          "uniqueItems",
          "enum",
          "const",
          "$ref",
          "anyOf",
          "oneOf",
          "allOf",
          "minLength",
          "maxLength",
          "pattern",
          "format",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf");

  /** The schema at a path, which must be an object of known keywords. */
  static SchemaNode of(@Nullable Object schema, String path, CompileBudget budget) {
    if (!(schema instanceof Map<?, ?> map)) {
      throw new GrammarException("schema at %s: must be an object, not %s".formatted(path, schema));
    }
    budget.chargeSteps(1 + path.length() / 16 + map.size());
    Map<String, @Nullable Object> keywords = new LinkedHashMap<>();
    map.forEach((key, value) -> keywords.put(String.valueOf(key), value));
    SchemaNode node = new SchemaNode(path, keywords, budget);
    for (String keyword : keywords.keySet()) {
      if (!KNOWN.contains(keyword) && !ANNOTATIONS.contains(keyword)) {
        throw node.refused(keyword, "is not supported");
      }
    }
    if (node.has("uniqueItems") && !Boolean.FALSE.equals(node.get("uniqueItems"))) {
      throw node.refused("uniqueItems", "is not supported unless false");
    }
    return node;
  }

  GrammarException refused(String keyword, String why) {
    return new UnsupportedKeywordException(
        path, keyword, "schema at %s: '%s' %s".formatted(path, keyword, why));
  }

  boolean has(String keyword) {
    return keywords.containsKey(keyword);
  }

  boolean hasAny(String... names) {
    for (String name : names) {
      if (has(name)) {
        return true;
      }
    }
    return false;
  }

  @Nullable Object get(String keyword) {
    return keywords.get(keyword);
  }

  /** Whether there are no other keywords but annotations. */
  boolean hasOnly(String... names) {
    Set<String> rest = new LinkedHashSet<>(keywords.keySet());
    rest.removeAll(ANNOTATIONS);
    rest.removeAll(List.of(names));
    return rest.isEmpty();
  }

  SchemaNode without(String... names) {
    budget.chargeSteps(1 + keywords.size());
    Map<String, @Nullable Object> rest = new LinkedHashMap<>(keywords);
    rest.keySet().removeAll(List.of(names));
    return new SchemaNode(path, rest, budget);
  }

  List<@Nullable Object> list(String keyword) {
    if (!has(keyword)) {
      return List.of();
    }
    if (!(get(keyword) instanceof List<?> list)) {
      throw refused(keyword, "must be a list");
    }
    budget.chargeSteps(1 + list.size() / 8);
    return new ArrayList<>(list);
  }

  Map<String, @Nullable Object> map(String keyword) {
    if (!has(keyword)) {
      return Map.of();
    }
    if (!(get(keyword) instanceof Map<?, ?> map)) {
      throw refused(keyword, "must be an object");
    }
    budget.chargeSteps(1 + map.size());
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((key, value) -> copy.put(String.valueOf(key), value));
    return copy;
  }

  String string(String keyword) {
    if (!(get(keyword) instanceof String text)) {
      throw refused(keyword, "must be a string");
    }
    return text;
  }

  Set<String> required() {
    Set<String> names = new LinkedHashSet<>();
    for (Object name : list("required")) {
      budget.chargeSteps(1);
      if (!(name instanceof String text)) {
        throw refused("required", "must be a list of strings");
      }
      names.add(text);
    }
    return names;
  }

  /** A count: an integer from 0 to the most that a repetition may have. */
  int count(String keyword, int absent) {
    if (!has(keyword)) {
      return absent;
    }
    BigDecimal value = number(keyword);
    if (value.signum() < 0 || value.stripTrailingZeros().scale() > 0) {
      throw refused(keyword, "is %s; it must be a whole number, at least 0".formatted(value));
    }
    if (value.compareTo(BigDecimal.valueOf(GrammarRules.MAX_COUNT)) > 0) {
      throw refused(
          keyword, "is %s; at most %d is supported".formatted(value, GrammarRules.MAX_COUNT));
    }
    return value.intValueExact();
  }

  BigDecimal number(String keyword) {
    BigDecimal value = decimal(get(keyword));
    if (value == null) {
      throw refused(keyword, "must be a number");
    }
    if (value.precision() > 50 || Math.abs((long) value.scale()) > 50) {
      throw refused(
          keyword, "is %s; numbers of more than 50 digits are not supported".formatted(value));
    }
    return value;
  }

  /** A number exactly as written; null if it is not a number. */
  static @Nullable BigDecimal decimal(@Nullable Object value) {
    return switch (value) {
      case BigDecimal number -> number;
      case BigInteger number -> new BigDecimal(number);
      case Double number when Double.isFinite(number) -> BigDecimal.valueOf(number);
      case Float number when Float.isFinite(number) -> new BigDecimal(number.toString());
      case Integer number -> BigDecimal.valueOf(number);
      case Long number -> BigDecimal.valueOf(number);
      case Short number -> BigDecimal.valueOf(number);
      case Byte number -> BigDecimal.valueOf(number);
      case null, default -> null;
    };
  }

  /** The named types; empty if the keyword is absent. */
  Set<String> types() {
    if (!has("type")) {
      return Set.of();
    }
    Set<String> types = new LinkedHashSet<>();
    List<@Nullable Object> named = get("type") instanceof String one ? List.of(one) : list("type");
    for (Object type : named) {
      if (!(type instanceof String text) || !TYPES.contains(text)) {
        throw refused(
            "type", "names %s; known are %s".formatted(type, TYPES.stream().sorted().toList()));
      }
      types.add(text);
    }
    if (types.isEmpty()) {
      throw refused("type", "names no type");
    }
    return types;
  }

  /** The intended types: those named, else those that other keywords apply to, else none. */
  Set<String> effectiveTypes() {
    Set<String> types = new LinkedHashSet<>(types());
    if (types.isEmpty()) {
      if (hasAny("properties", "required", "additionalProperties")) {
        types.add("object");
      }
      if (hasAny("items", "prefixItems", "minItems", "maxItems")) {
        types.add("array");
      }
      if (hasAny("minLength", "maxLength", "pattern", "format")) {
        types.add("string");
      }
      if (hasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) {
        types.add("number");
      }
    }
    return types;
  }
}
