package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.TextPadding;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyRange;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filter {@code tojson} as in Hugging Face: Python's {@code json.dumps} with its spacing,
 * without ASCII or HTML escapes unless requested.
 */
final class ToJsonFilter {
  private static final int DEEPEST = 500;

  private final RenderBudget budget;
  private final PyString.Builder out = new PyString.Builder();
  private final boolean ascii;
  private final boolean sorted;
  private final PyString indent;
  private final boolean indented;
  private final PyString comma;
  private final PyString colon;

  private ToJsonFilter(PyArguments args, RenderBudget budget) {
    args.requireOnly("tojson", "ensure_ascii", "indent", "separators", "sort_keys");
    this.budget = budget;
    ascii = args.flag(0, "ensure_ascii");
    sorted = args.flag(3, "sort_keys");
    Object width = args.get(1, "indent", None.NONE);
    indented = width != None.NONE;
    indent =
        !indented
            ? PyString.EMPTY
            : PyTypes.isText(width)
                ? PyText.str(width)
                : TextPadding.pad(
                    PyString.EMPTY,
                    PyTypes.integer(width, "indent"),
                    PyString.ofTemplate(" "),
                    '<',
                    budget);
    if (args.get(2, "separators", None.NONE) instanceof List<?> separators
        && separators.size() == 2) {
      comma = PyTypes.string(separators.get(0), "a separator");
      colon = PyTypes.string(separators.get(1), "a separator");
    } else {
      comma = PyString.ofTemplate(indented ? "," : ", ");
      colon = PyString.ofTemplate(": ");
    }
  }

  static PyString filter(Object value, PyArguments args, RenderBudget budget) {
    ToJsonFilter json = new ToJsonFilter(args, budget);
    json.write(value, 0);
    return json.out.build();
  }

  private void write(Object value, int depth) {
    if (depth > DEEPEST) {
      throw new ChatTemplateException("a value is nested more than " + DEEPEST + " deep");
    }
    budget.chargeAppend(out.length(), 0);
    switch (value) {
      case None _ -> out.append("null");
      case Boolean flag -> out.append(flag.toString());
      case Long number -> out.append(number.toString());
      case BigInteger number -> out.append(number.toString());
      case Double number -> out.append(number(number));
      case PyString text -> quote(text);
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
    out.append("[");
    boolean first = true;
    for (Object item : list) {
      out.append(first ? PyString.EMPTY : comma);
      line(depth + 1);
      write(item, depth + 1);
      first = false;
    }
    close(first, depth, "]");
  }

  private void object(Map<?, ?> map, int depth) {
    List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
    if (sorted) {
      entries.sort((a, b) -> Comparisons.order("<", a.getKey(), b.getKey(), budget));
    }
    out.append("{");
    boolean first = true;
    for (Map.Entry<?, ?> entry : entries) {
      out.append(first ? PyString.EMPTY : comma);
      line(depth + 1);
      quote(key(entry.getKey()));
      out.append(colon);
      write(entry.getValue(), depth + 1);
      first = false;
    }
    close(first, depth, "}");
  }

  private static PyString key(Object key) {
    return switch (key) {
      case PyString text -> text;
      case None _ -> PyString.ofTemplate("null");
      case Boolean flag -> PyString.ofTemplate(flag.toString());
      case Double number -> PyString.ofTemplate(number(number));
      case Number number -> PyString.ofTemplate(number.toString());
      default ->
          throw new ChatTemplateException(
              "keys must be str, int, float, bool or None, not " + PyTypes.typeName(key));
    };
  }

  private void close(boolean empty, int depth, String bracket) {
    if (!empty) {
      line(depth);
    }
    out.append(bracket);
  }

  private void line(int depth) {
    if (indented) {
      budget.chargeAppend(out.length(), (long) depth * indent.length());
      out.append("\n").append(indent.repeat(depth));
    }
  }

  private void quote(PyString text) {
    budget.chargeAppend(out.length(), text.length());
    out.append("\"");
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      String escape = escape(text.text().charAt(i));
      if (escape != null) {
        out.append(text, from, i).append(escape, text, i);
        from = i + 1;
      }
    }
    out.append(text, from, text.length()).append("\"");
  }

  /** What JSON writes instead of a character; null if it writes the character. */
  private @Nullable String escape(char c) {
    return switch (c) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      default -> c < 0x20 || (ascii && c > 0x7e) ? "\\u%04x".formatted((int) c) : null;
    };
  }
}
