package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of {@code enum} and {@code const}: their equality, type and JSON. */
final class SchemaConstants {
  private SchemaConstants() {}

  /** Equal objects for values that JSON schema treats as equal. */
  static Object canonical(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> "\"" + text;
      case List<?> list -> {
        List<Object> items = new ArrayList<>();
        list.forEach(item -> items.add(canonical(item)));
        yield items;
      }
      case Map<?, ?> map -> {
        Map<Object, Object> entries = new LinkedHashMap<>();
        map.forEach((key, item) -> entries.put(key, canonical(item)));
        yield entries;
      }
      default -> {
        BigDecimal number = SchemaNode.decimal(value);
        yield number == null ? value : number.stripTrailingZeros();
      }
    };
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
