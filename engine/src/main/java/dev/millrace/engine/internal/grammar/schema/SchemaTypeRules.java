package dev.millrace.engine.internal.grammar.schema;

import static dev.millrace.engine.internal.grammar.RuleExpression.optional;
import static dev.millrace.engine.internal.grammar.RuleExpression.seq;
import static dev.millrace.engine.internal.grammar.RuleExpression.text;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles each type of a schema (array, string, number, and so on) with the keywords for it. */
final class SchemaTypeRules {
  private static final int MAX_PREFIX = 100;

  /** About what a range takes at most: its bounds have at most 50 digits. */
  private static final int RANGE_BYTES = 100_000;

  private final SchemaRuleCompiler rules;
  private final SchemaObjectRules objects;

  SchemaTypeRules(SchemaRuleCompiler rules) {
    this.rules = rules;
    objects = new SchemaObjectRules(rules);
  }

  RuleExpression expr(SchemaNode node) {
    node.budget().chargeBytes(8L * RuleExpression.BYTES);
    Set<String> types = node.effectiveTypes();
    if (node.has("multipleOf")) {
      boolean whole = types.contains("integer") && !types.contains("number");
      if (!whole || node.number("multipleOf").compareTo(BigDecimal.ONE) != 0) {
        throw node.refused("multipleOf", "is not supported, but for 1 with type integer");
      }
    }
    if (types.isEmpty()) {
      return new Ref(JsonSyntax.VALUE);
    }
    List<RuleExpression> choices = new ArrayList<>();
    for (String type : types) {
      choices.add(
          switch (type) {
            case "object" -> objects.expr(node);
            case "array" -> array(node);
            case "string" -> string(node);
            case "number" -> number(node, false);
            case "integer" -> number(node, true);
            case "boolean" -> RuleExpression.alt(text("true"), text("false"));
            default -> text("null");
          });
    }
    return choices.size() == 1 ? choices.getFirst() : new Alt(choices);
  }

  private static RuleExpression number(SchemaNode node, boolean whole) {
    if (!node.hasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")) {
      return new Ref(whole ? JsonSyntax.INTEGER : JsonSyntax.NUMBER);
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
    node.budget().chargeBytes(RANGE_BYTES);
    return whole ? range.integers() : range.decimals();
  }

  private RuleExpression pattern(SchemaNode node) {
    try {
      return SchemaRegexParser.parse(
          "schema at " + node.path(),
          node.string("pattern"),
          expr -> rules.named(node.path() + "/pattern", expr),
          node.budget());
    } catch (GrammarLimitException e) {
      throw e;
    } catch (GrammarException e) {
      throw new UnsupportedKeywordException(node.path(), "pattern", String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable BigDecimal bound(SchemaNode node, String keyword) {
    return node.has(keyword) ? node.number(keyword) : null;
  }

  private RuleExpression string(SchemaNode node) {
    boolean bounded = node.hasAny("minLength", "maxLength");
    if (node.has("pattern") || node.has("format")) {
      if (bounded || node.has("pattern") && node.has("format")) {
        throw node.refused(
            node.has("pattern") ? "pattern" : "format",
            "beside minLength, maxLength or another of pattern and format is not supported");
      }
      RuleExpression inner =
          node.has("pattern") ? pattern(node) : StringFormats.expr(node, node.string("format"));
      return seq(JsonSyntax.QUOTE, inner, JsonSyntax.QUOTE);
    }
    if (!bounded) {
      return new Ref(JsonSyntax.STRING);
    }
    Repeat characters =
        new Repeat(
            new Ref(JsonSyntax.CHARACTER),
            least(node, "minLength"),
            most(node, "minLength", "maxLength"));
    return seq(JsonSyntax.QUOTE, characters, JsonSyntax.QUOTE);
  }

  private static int least(SchemaNode node, String keyword) {
    return node.count(keyword, 0);
  }

  private static int most(SchemaNode node, String minimum, String maximum) {
    int most = node.count(maximum, RuleExpression.UNBOUNDED);
    if (most != RuleExpression.UNBOUNDED && most < node.count(minimum, 0)) {
      throw node.refused(maximum, "is %d, less than %s".formatted(most, minimum));
    }
    return most;
  }

  private RuleExpression array(SchemaNode node) {
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
        closed
            ? (most == RuleExpression.UNBOUNDED ? prefix.size() : Math.min(most, prefix.size()))
            : most;
    Object itemSchema = node.has("items") ? node.get("items") : Boolean.TRUE;
    RuleExpression item =
        itemSchema instanceof Boolean
            ? new Ref(JsonSyntax.VALUE)
            : rules.rule(itemSchema, node.path() + "/items");
    return seq(text("["), from(0, node, item, least, end), text("]"));
  }

  /** The items from an index on, up to {@code end} in all. */
  private RuleExpression from(int at, SchemaNode node, RuleExpression item, int least, int end) {
    List<@Nullable Object> prefix = node.list("prefixItems");
    if (end != RuleExpression.UNBOUNDED && at >= end) {
      return RuleExpression.EMPTY;
    }
    RuleExpression lead = at == 0 ? RuleExpression.EMPTY : JsonSyntax.COMMA;
    if (at < prefix.size()) {
      RuleExpression rest = from(at + 1, node, item, least, end);
      RuleExpression here =
          seq(lead, rules.rule(prefix.get(at), node.path() + "/prefixItems/" + at), rest);
      return at < least ? here : optional(here);
    }
    int min = Math.max(0, least - at);
    int max = end == RuleExpression.UNBOUNDED ? RuleExpression.UNBOUNDED : end - at;
    if (at > 0) {
      return new Repeat(seq(JsonSyntax.COMMA, item), min, max);
    }
    RuleExpression more =
        new Repeat(
            seq(JsonSyntax.COMMA, item),
            Math.max(0, min - 1),
            max == RuleExpression.UNBOUNDED ? max : max - 1);
    return min > 0 ? seq(item, more) : optional(seq(item, more));
  }
}
