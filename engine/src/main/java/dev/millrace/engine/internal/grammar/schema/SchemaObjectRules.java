package dev.millrace.engine.internal.grammar.schema;

import static dev.millrace.engine.internal.grammar.RuleExpression.seq;
import static dev.millrace.engine.internal.grammar.RuleExpression.text;

import dev.millrace.engine.internal.grammar.CodePointSet;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Compiles schemas of objects. */
final class SchemaObjectRules {
  private static final int MAX_NAME = 200;

  /** About what the ways to leave a name after one character take. */
  private static final int OTHER_BYTES = 4096;

  private static final RuleExpression ANY_REST =
      JsonSyntax.many(JsonSyntax.spell(CodePointSet.ALL));

  private final SchemaRuleCompiler rules;

  SchemaObjectRules(SchemaRuleCompiler rules) {
    this.rules = rules;
  }

  RuleExpression expr(SchemaNode node) {
    Map<String, @Nullable Object> properties = node.map("properties");
    Set<String> required = node.required();
    boolean described = node.has("properties") || !required.isEmpty();
    Object additional =
        node.has("additionalProperties") ? node.get("additionalProperties") : (Object) !described;
    if (!described && Boolean.TRUE.equals(additional)) {
      return new Ref(JsonSyntax.OBJECT);
    }
    List<Item> items = new ArrayList<>();
    properties.forEach(
        (name, schema) -> property(node, name, schema, required.contains(name), items));
    for (String name : required) {
      if (!properties.containsKey(name)) {
        undescribed(node, name, additional, items);
      }
    }
    if (!Boolean.FALSE.equals(additional)) {
      RuleExpression value = value(node, additional);
      Set<String> taken = new java.util.LinkedHashSet<>(properties.keySet());
      taken.addAll(required);
      items.add(
          new Item(
              JsonSyntax.separated(seq(otherThan(node, taken), JsonSyntax.COLON, value)), true));
    }
    return seq(text("{"), new SeparatedItems(items, JsonSyntax.COMMA), text("}"));
  }

  private void property(
      SchemaNode node, String name, @Nullable Object schema, boolean required, List<Item> items) {
    if (Boolean.FALSE.equals(schema)) {
      if (required) {
        throw node.refused("required", "names %s, whose schema allows no value".formatted(name));
      }
      return;
    }
    String pointer = node.path() + "/properties/" + name.replace("~", "~0").replace("/", "~1");
    RuleExpression value =
        Boolean.TRUE.equals(schema) ? new Ref(JsonSyntax.VALUE) : rules.rule(schema, pointer);
    items.add(new Item(pair(node, name, value), !required));
  }

  private void undescribed(
      SchemaNode node, String name, @Nullable Object additional, List<Item> items) {
    if (Boolean.FALSE.equals(additional) && node.has("additionalProperties")) {
      throw node.refused(
          "required", "names %s, which additionalProperties forbids".formatted(name));
    }
    RuleExpression value =
        Boolean.FALSE.equals(additional) ? new Ref(JsonSyntax.VALUE) : value(node, additional);
    items.add(new Item(pair(node, name, value), false));
  }

  private RuleExpression value(SchemaNode node, @Nullable Object additional) {
    return Boolean.TRUE.equals(additional)
        ? new Ref(JsonSyntax.VALUE)
        : rules.rule(additional, node.path() + "/additionalProperties");
  }

  private static RuleExpression pair(SchemaNode node, String name, RuleExpression value) {
    return seq(text(SchemaConstants.quoted(node, "properties", name)), JsonSyntax.COLON, value);
  }

  /** A trie of names by their characters. */
  private static final class Names {
    private final TreeMap<Integer, Names> next = new TreeMap<>();
    private boolean end;
  }

  /** Any string but these. */
  private static RuleExpression otherThan(SchemaNode node, Set<String> names) {
    if (names.isEmpty()) {
      return new Ref(JsonSyntax.STRING);
    }
    Names tree = new Names();
    for (String name : names) {
      if (name.length() > MAX_NAME) {
        throw node.refused(
            "additionalProperties",
            "beside a property name of more than %d characters is not supported"
                .formatted(MAX_NAME));
      }
      Names at = tree;
      node.budget().chargeBytes(128L * name.length());
      for (int c : name.codePoints().toArray()) {
        at = at.next.computeIfAbsent(c, key -> new Names());
      }
      at.end = true;
    }
    return seq(JsonSyntax.QUOTE, other(tree, node), JsonSyntax.QUOTE);
  }

  private static RuleExpression other(Names tree, SchemaNode node) {
    node.budget().chargeBytes(OTHER_BYTES + 16L * tree.next.size());
    int[] first = tree.next.keySet().stream().flatMapToInt(c -> IntStream.of(c, c)).toArray();
    List<RuleExpression> choices = new ArrayList<>();
    if (!tree.end) {
      choices.add(RuleExpression.EMPTY);
    }
    for (Map.Entry<Integer, Names> entry : tree.next.entrySet()) {
      RuleExpression character = JsonSyntax.spell(CodePointSet.of(entry.getKey()));
      choices.add(seq(character, other(entry.getValue(), node)));
    }
    choices.add(seq(JsonSyntax.spell(CodePointSet.ranges(first).not()), ANY_REST));
    return new Alt(choices);
  }
}
