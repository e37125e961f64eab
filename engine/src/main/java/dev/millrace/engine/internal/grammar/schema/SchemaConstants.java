package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The values of {@code enum} and {@code const}: their equality, type and JSON. */
final class SchemaConstants {
  private SchemaConstants() {}

  /** Equal texts for values that JSON schema treats as equal. */
  static String canonical(@Nullable Object value, CompileBudget budget) {
    StringBuilder text = new StringBuilder();
    canonical(value, text, budget);
    return text.toString();
  }

  private static void canonical(@Nullable Object value, StringBuilder out, CompileBudget budget) {
    budget.chargeSteps(1);
    switch (value) {
      case String text -> write(text, out, budget);
      case List<?> list -> {
        out.append('[');
        for (Object item : list) {
          canonical(item, out, budget);
          out.append(',');
        }
        out.append(']');
      }
      case Map<?, ?> map -> {
        budget.chargeSteps(map.size());
        Map<String, @Nullable Object> sorted = new TreeMap<>();
        map.forEach((key, item) -> sorted.put(String.valueOf(key), item));
        out.append('{');
        sorted.forEach(
            (key, item) -> {
              write(key, out, budget);
              out.append(':');
              canonical(item, out, budget);
              out.append(',');
            });
        out.append('}');
      }
      case null, default -> {
        BigDecimal number = SchemaNode.decimal(value);
        String text =
            number == null ? String.valueOf(value) : number.stripTrailingZeros().toString();
        budget.chargeSteps(1 + text.length() / 16);
        out.append(text);
      }
    }
  }

  /** Its length first, so that no two lists of texts are written alike. */
  private static void write(String text, StringBuilder out, CompileBudget budget) {
    budget.chargeSteps(1 + text.length() / 16);
    out.append(text.length()).append('"').append(text);
  }

  static boolean isOfType(String type, @Nullable Object value) {
    BigDecimal number = SchemaNode.decimal(value);
    return switch (type) {
      case "null" -> value == null;
      case "boolean" -> value instanceof Boolean;
      case "string" -> value instanceof String;
      case "array" -> value instanceof List;
      case "object" -> value instanceof Map;
      case "number" -> number != null;
      default -> number != null && number.stripTrailingZeros().scale() <= 0;
    };
  }

  /** The value in JSON. */
  static RuleExpression spelling(SchemaNode at, String keyword, @Nullable Object value) {
    at.budget().chargeBytes(2L * RuleExpression.BYTES);
    return switch (value) {
      case null -> RuleExpression.text("null");
      case Boolean bool -> RuleExpression.text(bool.toString());
      case String text -> RuleExpression.text(quoted(at, keyword, text));
      case List<?> list -> {
        List<RuleExpression> items = new ArrayList<>();
        list.forEach(item -> items.add(spelling(at, keyword, item)));
        yield enclosed("[", items, "]");
      }
      case Map<?, ?> map -> {
        List<RuleExpression> items = new ArrayList<>();
        map.forEach(
            (key, item) ->
                items.add(
                    RuleExpression.seq(
                        RuleExpression.text(quoted(at, keyword, key.toString())),
                        JsonSyntax.COLON,
                        spelling(at, keyword, item))));
        yield enclosed("{", items, "}");
      }
      default -> {
        BigDecimal number = SchemaNode.decimal(value);
        if (number == null || Math.abs((long) number.scale()) > 300) {
          throw at.refused(
              keyword, "holds %s, which is no JSON value or too large a number".formatted(value));
        }
        yield RuleExpression.text(number.toString());
      }
    };
  }

  static String quoted(SchemaNode at, String keyword, String text) {
    at.budget().chargeBytes(4L * text.length());
    if (text.codePoints().anyMatch(c -> c >= 0xd800 && c <= 0xdfff)) {
      throw at.refused(keyword, "holds half of a surrogate pair, which is no character");
    }
    return JsonSyntax.quote(text);
  }

  private static RuleExpression enclosed(String open, List<RuleExpression> items, String close) {
    List<RuleExpression> parts = new ArrayList<>();
    parts.add(RuleExpression.text(open));
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        parts.add(JsonSyntax.COMMA);
      }
      parts.add(items.get(i));
    }
    parts.add(RuleExpression.text(close));
    return new Seq(parts);
  }
}
