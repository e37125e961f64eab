package dev.millrace.engine.grammar;

import static dev.millrace.engine.grammar.Expr.optional;
import static dev.millrace.engine.grammar.Expr.seq;
import static dev.millrace.engine.grammar.Expr.text;

import dev.millrace.engine.grammar.Expr.Alt;
import dev.millrace.engine.grammar.Expr.Ref;
import dev.millrace.engine.grammar.Expr.Repeat;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What matches a schema that is described by types and the keywords that belong to them. */
final class SchemaTypes {
  private static final int MAX_PREFIX = 100;

  private final SchemaRules rules;
  private final SchemaObjects objects;

  SchemaTypes(SchemaRules rules) {
    this.rules = rules;
    objects = new SchemaObjects(rules);
  }

  Expr expr(SchemaNode node) {
    Set<String> types = node.meantTypes();
    if (node.has("multipleOf")) {
      boolean whole = types.contains("integer") && !types.contains("number");
      if (!whole || node.number("multipleOf").compareTo(BigDecimal.ONE) != 0) {
        throw node.refused("multipleOf", "is not supported, but for 1 with type integer");
      }
    }
    if (types.isEmpty()) {
      return new Ref(JsonText.VALUE);
    }
    List<Expr> choices = new ArrayList<>();
    for (String type : types) {
      choices.add(
          switch (type) {
            case "object" -> objects.expr(node);
            case "array" -> array(node);
            case "string" -> string(node);
            case "number" -> number(node, false);
            case "integer" -> number(node, true);
            case "boolean" -> Expr.alt(text("true"), text("false"));
            default -> text("null");
          });
    }
    return choices.size() == 1 ? choices.getFirst() : new Alt(choices);
  }

  private static Expr number(SchemaNode node, boolean whole) {
    if (!node.hasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")) {
      return new Ref(whole ? JsonText.INTEGER : JsonText.NUMBER);
    }
    BigDecimal low = bound(node, "minimum");
    BigDecimal high = bound(node, "maximum");
    BigDecimal lowOpen = bound(node, "exclusiveMinimum");
    BigDecimal highOpen = bound(node, "exclusiveMaximum");
    boolean above = lowOpen != null && (low == null || lowOpen.compareTo(low) >= 0);
    boolean below = highOpen != null && (high == null || highOpen.compareTo(high) <= 0);
    NumberRange range =
        new NumberRange(above ? lowOpen : low, above, below ? highOpen : high, below);
    if (range.isEmpty(whole)) {
      throw new GrammarException(
          "schema at %s: no %s lies between the bounds"
              .formatted(node.path(), whole ? "integer" : "number"));
    }
    return whole ? range.integers() : range.decimals();
  }

  private static @Nullable BigDecimal bound(SchemaNode node, String keyword) {
    return node.has(keyword) ? node.number(keyword) : null;
  }

  private Expr string(SchemaNode node) {
    boolean bounded = node.hasAny("minLength", "maxLength");
    if (node.has("pattern") || node.has("format")) {
      if (bounded || node.has("pattern") && node.has("format")) {
        throw node.refused(
            node.has("pattern") ? "pattern" : "format",
            "beside minLength, maxLength or another of pattern and format is not supported");
      }
      Expr inner =
          node.has("pattern")
              ? Pattern.parse(
                  "schema at " + node.path(),
                  node.string("pattern"),
                  expr -> rules.named(node.path() + "/pattern", expr))
              : Formats.expr(node, node.string("format"));
      return seq(JsonText.QUOTE, inner, JsonText.QUOTE);
    }
    if (!bounded) {
      return new Ref(JsonText.STRING);
    }
    Repeat characters =
        new Repeat(
            new Ref(JsonText.CHARACTER),
            least(node, "minLength"),
            most(node, "minLength", "maxLength"));
    return seq(JsonText.QUOTE, characters, JsonText.QUOTE);
  }

  private static int least(SchemaNode node, String keyword) {
    return node.count(keyword, 0);
  }

  private static int most(SchemaNode node, String minimum, String maximum) {
    int most = node.count(maximum, Expr.UNBOUNDED);
    if (most != Expr.UNBOUNDED && most < node.count(minimum, 0)) {
      throw node.refused(maximum, "is %d, less than %s".formatted(most, minimum));
    }
    return most;
  }

  private Expr array(SchemaNode node) {
    if (node.get("items") instanceof List) {
      throw node.refused("items", "as a list is not supported: use prefixItems");
    }
    int least = least(node, "minItems");
    int most = most(node, "minItems", "maxItems");
    List<@Nullable Object> prefix = node.list("prefixItems");
    if (prefix.size() > MAX_PREFIX) {
      throw node.refused(
          "prefixItems",
          "has %d items; at most %d are supported".formatted(prefix.size(), MAX_PREFIX));
    }
    boolean closed =
        Boolean.FALSE.equals(node.get("items"))
            || !node.has("items") && !prefix.isEmpty() && least <= prefix.size();
    if (closed && least > prefix.size()) {
      throw node.refused("minItems", "is more than the items that the schema allows");
    }
    int end =
        closed ? (most == Expr.UNBOUNDED ? prefix.size() : Math.min(most, prefix.size())) : most;
    Object itemSchema = node.has("items") ? node.get("items") : Boolean.TRUE;
    Expr item =
        itemSchema instanceof Boolean
            ? new Ref(JsonText.VALUE)
            : rules.rule(itemSchema, node.path() + "/items");
    return seq(text("["), from(0, node, item, least, end), text("]"));
  }

  /** The items from a place on, up to {@code end} of them in all. */
  private Expr from(int at, SchemaNode node, Expr item, int least, int end) {
    List<@Nullable Object> prefix = node.list("prefixItems");
    if (end != Expr.UNBOUNDED && at >= end) {
      return Expr.EMPTY;
    }
    Expr lead = at == 0 ? Expr.EMPTY : JsonText.COMMA;
    if (at < prefix.size()) {
      Expr rest = from(at + 1, node, item, least, end);
      Expr here = seq(lead, rules.rule(prefix.get(at), node.path() + "/prefixItems/" + at), rest);
      return at < least ? here : optional(here);
    }
    int min = Math.max(0, least - at);
    int max = end == Expr.UNBOUNDED ? Expr.UNBOUNDED : end - at;
    if (at > 0) {
      return new Repeat(seq(JsonText.COMMA, item), min, max);
    }
    Expr more =
        new Repeat(
            seq(JsonText.COMMA, item), Math.max(0, min - 1), max == Expr.UNBOUNDED ? max : max - 1);
    return min > 0 ? seq(item, more) : optional(seq(item, more));
  }
}
