package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Python's {@code text % values}, and the filter {@code format}. */
public final class PercentFormat {
  private static final Pattern PLACE =
      Pattern.compile("%(?:\\(([^)]*)\\))?([-+ 0]*)(\\d{1,9})?(\\.\\d{1,9})?([a-zA-Z%])?");

  private PercentFormat() {}

  public static PyString format(PyString string, Object values, RenderBudget budget) {
    List<?> list = values instanceof Tuple tuple ? tuple : List.of(values);
    String text = string.text();
    PyString.Builder out = new PyString.Builder();
    Matcher places = PLACE.matcher(text);
    int from = 0;
    int used = 0;
    while (places.find(from)) {
      out.append(string, from, places.start());
      from = places.end();
      String type = places.group(5);
      if (type == null) {
        throw new ChatTemplateException("incomplete format");
      }
      if (type.equals("%")) {
        out.append(string, from - 1, from);
        continue;
      }
      Object value = places.group(1) != null ? named(values, places.group(1)) : next(list, used++);
      PyString shown = spec(places, type).apply(value, budget);
      budget.chargeAppend(out.length(), shown.length());
      out.append(shown);
    }
    if (used < list.size() && !(values instanceof Map)) {
      throw new ChatTemplateException("not all arguments converted during string formatting");
    }
    budget.chargeAppend(out.length(), text.length() - from);
    return out.append(string, from, text.length()).build();
  }

  private static Object named(Object values, String name) {
    Object value = values instanceof Map<?, ?> map ? map.get(PyString.ofTemplate(name)) : null;
    if (value == null) {
      throw new ChatTemplateException("the format has no value for '" + name + "'");
    }
    return value;
  }

  private static Object next(List<?> list, int index) {
    if (index >= list.size()) {
      throw new ChatTemplateException("not enough arguments for format string");
    }
    return list.get(index);
  }

  private static FormatSpec spec(Matcher place, String type) {
    String flags = place.group(2);
    String align =
        flags.contains("-") ? "<" : flags.contains("0") && !type.matches("[sr]") ? "0=" : ">";
    String sign = flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
    String width = place.group(3) == null ? "" : place.group(3);
    String precision = place.group(4) == null ? "" : place.group(4);
    return FormatSpec.parse(
        align
            + (type.matches("[sr]") ? "" : sign)
            + width
            + precision
            + (type.equals("i") ? "d" : type));
  }
}
