package dev.millrace.engine.grammar;

import static dev.millrace.engine.grammar.Expr.seq;
import static dev.millrace.engine.grammar.Expr.text;

import dev.millrace.engine.grammar.Expr.Alt;
import dev.millrace.engine.grammar.Expr.Item;
import dev.millrace.engine.grammar.Expr.Listed;
import dev.millrace.engine.grammar.Expr.Ref;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What matches a schema of objects. */
final class SchemaObjects {
  private static final int MAX_NAME = 200;

  private final SchemaRules rules;

  SchemaObjects(SchemaRules rules) {
    this.rules = rules;
  }

  Expr expr(SchemaNode node) {
    Map<String, @Nullable Object> properties = node.map("properties");
    Set<String> required = node.required();
    boolean described = node.has("properties") || !required.isEmpty();
    Object additional =
        node.has("additionalProperties") ? node.get("additionalProperties") : (Object) !described;
    if (!described && Boolean.TRUE.equals(additional)) {
      return new Ref(JsonText.OBJECT);
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
      Expr value = value(node, additional);
      Set<String> taken = new java.util.LinkedHashSet<>(properties.keySet());
      taken.addAll(required);
      items.add(
          new Item(JsonText.separated(seq(otherThan(node, taken), JsonText.COLON, value)), true));
    }
    return seq(text("{"), new Listed(items, JsonText.COMMA), text("}"));
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
    Expr value =
        Boolean.TRUE.equals(schema) ? new Ref(JsonText.VALUE) : rules.rule(schema, pointer);
    items.add(new Item(pair(node, name, value), !required));
  }

  private void undescribed(
      SchemaNode node, String name, @Nullable Object additional, List<Item> items) {
    if (Boolean.FALSE.equals(additional) && node.has("additionalProperties")) {
      throw node.refused(
          "required", "names %s, which additionalProperties forbids".formatted(name));
    }
    Expr value =
        Boolean.FALSE.equals(additional) ? new Ref(JsonText.VALUE) : value(node, additional);
    items.add(new Item(pair(node, name, value), false));
  }

  private Expr value(SchemaNode node, @Nullable Object additional) {
    return Boolean.TRUE.equals(additional)
        ? new Ref(JsonText.VALUE)
        : rules.rule(additional, node.path() + "/additionalProperties");
  }

  private static Expr pair(SchemaNode node, String name, Expr value) {
    return seq(text(SchemaValues.quoted(node, "properties", name)), JsonText.COLON, value);
  }

  /** A tree of names by their characters. */
  private static final class Names {
    private final TreeMap<Integer, Names> next = new TreeMap<>();
    private boolean end;
  }

  /** Any string but these. */
  private static Expr otherThan(SchemaNode node, Set<String> names) {
    if (names.isEmpty()) {
      return new Ref(JsonText.STRING);
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
      for (int c : name.codePoints().toArray()) {
        at = at.next.computeIfAbsent(c, key -> new Names());
      }
      at.end = true;
    }
    return seq(JsonText.QUOTE, other(tree), JsonText.QUOTE);
  }

  private static Expr other(Names tree) {
    CodePoints followed = CodePoints.NONE;
    List<Expr> choices = new ArrayList<>();
    if (!tree.end) {
      choices.add(Expr.EMPTY);
    }
    for (Map.Entry<Integer, Names> entry : tree.next.entrySet()) {
      CodePoints character = CodePoints.of(entry.getKey());
      followed = followed.or(character);
      choices.add(seq(JsonText.spell(character), other(entry.getValue())));
    }
    Expr rest = JsonText.many(JsonText.spell(CodePoints.ALL));
    choices.add(seq(JsonText.spell(followed.not()), rest));
    return new Alt(choices);
  }
}
