package dev.millrace.engine.internal.grammar.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether no value that is generated for one schema satisfies another. Simple checks that
 * never claim it wrongly.
 */
final class SchemaDisjointness {
  private static final int MAX_DEPTH = 8;

  private final SchemaRuleCompiler rules;
  private int depth;

  SchemaDisjointness(SchemaRuleCompiler rules) {
    this.rules = rules;
  }

  boolean areDisjoint(SchemaNode a, SchemaNode b) {
    a.budget().chargeSteps(1);
    if (a.hasAny("anyOf", "oneOf") || b.hasAny("anyOf", "oneOf") || depth > MAX_DEPTH) {
      return false;
    }
    if (disjoint(made(a), allowed(b)) && disjoint(made(b), allowed(a))) {
      return true;
    }
    if (hasValues(a) && hasValues(b)) {
      Set<String> left = canonicalValues(a);
      return canonicalValues(b).stream().noneMatch(left::contains);
    }
    return made(a).equals(Set.of("object")) && made(b).equals(Set.of("object")) && byProperty(a, b);
  }

  private static Set<String> canonicalValues(SchemaNode node) {
    Set<String> values = new HashSet<>();
    values(node).forEach(value -> values.add(SchemaConstants.canonical(value, node.budget())));
    return values;
  }

  /** Whether both require a property that cannot be the same in both. */
  private boolean byProperty(SchemaNode a, SchemaNode b) {
    Set<String> both = new HashSet<>(a.required());
    both.retainAll(b.required());
    Map<String, @Nullable Object> left = a.map("properties");
    Map<String, @Nullable Object> right = b.map("properties");
    depth++;
    boolean found =
        both.stream()
            .filter(name -> left.get(name) instanceof Map && right.get(name) instanceof Map)
            .anyMatch(
                name -> areDisjoint(property(a, left.get(name)), property(b, right.get(name))));
    depth--;
    return found;
  }

  private SchemaNode property(SchemaNode node, @Nullable Object schema) {
    return rules.flatten(SchemaNode.of(schema, node.path() + "/properties", node.budget()));
  }

  private static boolean disjoint(Set<String> a, Set<String> b) {
    return a.stream()
        .noneMatch(
            type ->
                b.contains(type)
                    || type.equals("integer") && b.contains("number")
                    || type.equals("number") && b.contains("integer"));
  }

  /** The types of the values that the grammar generates for the schema. */
  private static Set<String> made(SchemaNode node) {
    if (hasValues(node)) {
      return typesOf(node);
    }
    Set<String> meant = node.effectiveTypes();
    return meant.isEmpty() ? SchemaNode.TYPES : meant;
  }

  /** The types of the values that satisfy the schema. */
  private static Set<String> allowed(SchemaNode node) {
    if (hasValues(node)) {
      return typesOf(node);
    }
    Set<String> named = node.types();
    return named.isEmpty() ? SchemaNode.TYPES : named;
  }

  private static Set<String> typesOf(SchemaNode node) {
    Set<String> types = new HashSet<>();
    for (Object value : values(node)) {
      node.budget().chargeSteps(SchemaNode.TYPES.size());
      SchemaNode.TYPES.stream()
          .filter(type -> SchemaConstants.isOfType(type, value))
          .forEach(types::add);
    }
    return types;
  }

  private static boolean hasValues(SchemaNode node) {
    return node.hasAny("const", "enum");
  }

  /** The values of const and enum of the given types. */
  static List<@Nullable Object> values(SchemaNode node) {
    List<@Nullable Object> values = new ArrayList<>();
    if (node.has("enum")) {
      values.addAll(node.list("enum"));
    } else {
      values.add(node.get("const"));
    }
    if (node.has("enum") && node.has("const")) {
      String only = SchemaConstants.canonical(node.get("const"), node.budget());
      values.removeIf(value -> !SchemaConstants.canonical(value, node.budget()).equals(only));
    }
    Set<String> types = node.types();
    node.budget().chargeSteps((long) values.size() * types.size());
    values.removeIf(
        value ->
            !types.isEmpty()
                && types.stream().noneMatch(type -> SchemaConstants.isOfType(type, value)));
    return values;
  }
}
