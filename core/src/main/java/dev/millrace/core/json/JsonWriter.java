package dev.millrace.core.json;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes plain values as JSON text. */
final class JsonWriter {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final StringBuilder out = new StringBuilder();
  private final Set<String> oneLine;

  /**
   * @param oneLine fields whose values are written on one line
   */
  JsonWriter(Set<String> oneLine) {
    this.oneLine = oneLine;
  }

  /** The text of {@code value}; {@code level} below 0 means on one line. */
  String write(@Nullable Object value, int level) {
    value(value, level);
    return out.toString();
  }

  private void value(@Nullable Object value, int level) {
    switch (value) {
      case null -> out.append("null");
      case String text -> string(text);
      case Map<?, ?> map -> map(map, level);
      case Collection<?> list -> list(list, level);
      case JsonObject object -> map(object.values(), level);
      case Double number when !Double.isFinite(number) ->
          throw new JsonException("JSON has no number for " + number);
      case Float number when !Float.isFinite(number) ->
          throw new JsonException("JSON has no number for " + number);
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      default -> string(value.toString());
    }
  }

  private void map(Map<?, ?> map, int level) {
    if (map.isEmpty()) {
      out.append("{}");
      return;
    }
    out.append('{');
    String between = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(between);
      line(level, 1);
      String name = String.valueOf(entry.getKey());
      string(name);
      out.append(level < 0 ? ":" : ": ");
      value(entry.getValue(), level < 0 || oneLine.contains(name) ? -1 : level + 1);
      between = ",";
    }
    line(level, 0);
    out.append('}');
  }

  private void list(Collection<?> list, int level) {
    Iterator<?> values = list.iterator();
    if (!values.hasNext()) {
      out.append("[]");
      return;
    }
    out.append('[');
    String between = "";
    while (values.hasNext()) {
      out.append(between);
      line(level, 1);
      value(values.next(), level < 0 ? -1 : level + 1);
      between = ",";
    }
    line(level, 0);
    out.append(']');
  }

  private void line(int level, int deeper) {
    if (level >= 0) {
      out.append('\n').repeat("  ", level + deeper);
    }
  }

  private void string(String text) {
    out.append('"');
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == '"' || c == '\\' || Character.isSurrogate(c)) {
        out.append(text, from, i);
        i += escape(text, i, c);
        from = i + 1;
      }
    }
    out.append(text, from, text.length()).append('"');
  }

  /** Writes the character at {@code i} and returns how many further characters it took. */
  private int escape(String text, int i, char c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (Character.isHighSurrogate(c)
            && i + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(i + 1))) {
          out.append(c).append(text.charAt(i + 1));
          return 1;
        }
        if (Character.isSurrogate(c)) {
          out.append('\ufffd'); // what UTF-8 makes of it; the reader would refuse the half pair
          return 0;
        }
        out.append("\\u")
            .append(HEX[c >> 12])
            .append(HEX[c >> 8 & 15])
            .append(HEX[c >> 4 & 15])
            .append(HEX[c & 15]);
      }
    }
    return 0;
  }
}
