package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.TextPadding;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyRange;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The filter {@code tojson} as in Hugging Face: Python's {@code json.dumps} with its spacing,
 * without ASCII or HTML escapes unless requested.
 */
final class ToJsonFilter {
  private static final int DEEPEST = 500;

  private final RenderBudget budget;
  private final StringBuilder out = new StringBuilder();
  private final boolean ascii;
  private final boolean sorted;
  private final String indent;
  private final boolean indented;
  private final String comma;
  private final String colon;

  private ToJsonFilter(PyArguments args, RenderBudget budget) {
    args.requireOnly("tojson", "ensure_ascii", "indent", "separators", "sort_keys");
    this.budget = budget;
    ascii = args.flag(0, "ensure_ascii");
    sorted = args.flag(3, "sort_keys");
    Object width = args.get(1, "indent", None.NONE);
    indented = width != None.NONE;
    indent =
        !indented
            ? ""
            : PyTypes.isText(width)
                ? PyText.str(width)
                : TextPadding.pad("", PyTypes.integer(width, "indent"), " ", '<', budget);
    if (args.get(2, "separators", None.NONE) instanceof List<?> separators
        && separators.size() == 2) {
      comma = PyTypes.text(separators.get(0), "a separator");
      colon = PyTypes.text(separators.get(1), "a separator");
    } else {
      comma = indented ? "," : ", ";
      colon = ": ";
    }
  }

  static String filter(Object value, PyArguments args, RenderBudget budget) {
    ToJsonFilter json = new ToJsonFilter(args, budget);
    json.write(value, 0);
    return json.out.toString();
  }

  private void write(Object value, int depth) {
    if (depth > DEEPEST) {
      throw new ChatTemplateException("a value is nested more than " + DEEPEST + " deep");
    }
    budget.chargeAppend(out.length(), 0);
    switch (value) {
      case None _ -> out.append("null");
      case Boolean flag -> out.append(flag);
      case Long number -> out.append(number);
      case BigInteger number -> out.append(number);
      case Double number -> out.append(number(number));
      case String text -> quote(text);
      case Markup markup -> quote(markup.text());
      case PyRange _ -> throw unknown(value);
      case List<?> list -> array(list, depth);
      case Map<?, ?> map -> object(map, depth);
      default -> throw unknown(value);
    }
  }

  private static ChatTemplateException unknown(Object value) {
    return new ChatTemplateException(
        "Object of type " + PyTypes.typeName(value) + " is not JSON serializable");
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    return Double.isInfinite(value) ? (value > 0 ? "Infinity" : "-Infinity") : PyText.number(value);
  }

  private void array(List<?> list, int depth) {
    out.append('[');
    boolean first = true;
    for (Object item : list) {
      out.append(first ? "" : comma);
      line(depth + 1);
      write(item, depth + 1);
      first = false;
    }
    close(first, depth, ']');
  }

  private void object(Map<?, ?> map, int depth) {
    List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
    if (sorted) {
      entries.sort((a, b) -> Comparisons.order("<", a.getKey(), b.getKey(), budget));
    }
    out.append('{');
    boolean first = true;
    for (Map.Entry<?, ?> entry : entries) {
      out.append(first ? "" : comma);
      line(depth + 1);
      quote(key(entry.getKey()));
      out.append(colon);
      write(entry.getValue(), depth + 1);
      first = false;
    }
    close(first, depth, '}');
  }

  private static String key(Object key) {
    return switch (key) {
      case String text -> text;
      case None _ -> "null";
      case Boolean flag -> flag.toString();
      case Double number -> number(number);
      case Number number -> number.toString();
      default ->
          throw new ChatTemplateException(
              "keys must be str, int, float, bool or None, not " + PyTypes.typeName(key));
    };
  }

  private void close(boolean empty, int depth, char bracket) {
    if (!empty) {
      line(depth);
    }
    out.append(bracket);
  }

  private void line(int depth) {
    if (indented) {
      budget.chargeAppend(out.length(), (long) depth * indent.length());
      out.append('\n').repeat(indent, depth);
    }
  }

  private void quote(String text) {
    budget.chargeAppend(out.length(), text.length());
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        default -> {
          if (c < 0x20 || (ascii && c > 0x7e)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
