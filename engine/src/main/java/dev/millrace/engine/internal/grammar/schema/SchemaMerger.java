package dev.millrace.engine.internal.grammar.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Merges two schemas that one value must satisfy, keyword by keyword. */
final class SchemaMerger {
  /** About what a property takes that was merged. */
  private static final int ENTRY_BYTES = 256;

  private final SchemaNode a;
  private final SchemaNode b;
  private final Map<String, @Nullable Object> merged;

  private SchemaMerger(SchemaNode a, SchemaNode b) {
    this.a = a;
    this.b = b;
    a.budget().chargeSteps(1 + a.keywords().size() + b.keywords().size());
    merged = new LinkedHashMap<>(a.keywords());
  }

  static SchemaNode combine(SchemaNode a, SchemaNode b) {
    SchemaMerger merge = new SchemaMerger(a, b);
    merge.additional();
    b.keywords().forEach(merge::put);
    return new SchemaNode(a.path(), merge.merged, a.budget());
  }

  private void put(String keyword, @Nullable Object value) {
    if (SchemaNode.ANNOTATIONS.contains(keyword) || !a.has(keyword)) {
      merged.putIfAbsent(keyword, value);
      return;
    }
    switch (keyword) {
      case "type" -> merged.put(keyword, types());
      case "properties" -> merged.put(keyword, properties());
      case "required" -> {
        Set<String> names = a.required();
        names.addAll(b.required());
        merged.put(keyword, new ArrayList<>(names));
      }
      case "items" -> merged.put(keyword, both(a.get(keyword), value));
      case "minimum", "exclusiveMinimum", "minLength", "minItems" ->
          merged.put(keyword, a.number(keyword).max(b.number(keyword)));
      case "maximum", "exclusiveMaximum", "maxLength", "maxItems" ->
          merged.put(keyword, a.number(keyword).min(b.number(keyword)));
      case "enum" -> {
        Set<String> values = new HashSet<>();
        b.list(keyword).forEach(v -> values.add(canonical(v)));
        merged.put(
            keyword, a.list(keyword).stream().filter(v -> values.contains(canonical(v))).toList());
      }
      case "additionalProperties", "uniqueItems" -> {}
      default -> {
        if (!canonical(a.get(keyword)).equals(canonical(value))) {
          throw a.refused(
              keyword,
              "is in schemas that must hold together (allOf, $ref or anyOf); two different ones"
                  + " are not supported");
        }
      }
    }
  }

  private List<String> types() {
    Set<String> left = a.types();
    Set<String> right = b.types();
    Set<String> common = new LinkedHashSet<>(left);
    common.removeIf(
        type -> !right.contains(type) && !(type.equals("integer") && right.contains("number")));
    if (left.contains("number") && right.contains("integer")) {
      common.add("integer");
    }
    if (common.isEmpty()) {
      throw a.refused("type", "is both %s and %s, which no value is".formatted(left, right));
    }
    return new ArrayList<>(common);
  }

  private static Object both(@Nullable Object one, @Nullable Object other) {
    Map<String, Object> all = new LinkedHashMap<>();
    List<@Nullable Object> parts = new ArrayList<>();
    parts.add(one);
    parts.add(other);
    all.put("allOf", parts);
    return all;
  }

  private Map<String, @Nullable Object> properties() {
    Map<String, @Nullable Object> other = b.map("properties");
    Map<String, @Nullable Object> all = a.map("properties");
    a.budget().chargeBytes(ENTRY_BYTES * (long) (all.size() + other.size()));
    other.forEach((name, schema) -> all.merge(name, schema, SchemaMerger::both));
    return all;
  }

  /**
   * The limit of each side on further properties also applies to those of the other: only harmless
   * cases are merged.
   */
  private void additional() {
    limit(a, b);
    limit(b, a);
    if (Boolean.TRUE.equals(a.get("additionalProperties")) && b.has("additionalProperties")) {
      merged.put("additionalProperties", b.get("additionalProperties"));
    }
  }

  private String canonical(@Nullable Object value) {
    return SchemaConstants.canonical(value, a.budget());
  }

  private void limit(SchemaNode limiting, SchemaNode other) {
    if (!limiting.has("additionalProperties")
        || Boolean.TRUE.equals(limiting.get("additionalProperties"))) {
      return;
    }
    Object limits = other.get("additionalProperties");
    boolean same =
        !other.has("additionalProperties")
            || Boolean.TRUE.equals(limits)
            || canonical(limits).equals(canonical(limiting.get("additionalProperties")));
    if (!same
        || !limiting.map("properties").keySet().containsAll(other.map("properties").keySet())) {
      throw a.refused(
          "additionalProperties",
          "in one of the schemas that must hold together (allOf, $ref or anyOf) while another has"
              + " properties of its own is not supported");
    }
  }
}
