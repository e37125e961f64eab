package dev.millrace.core.json;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes plain values as JSON text. */
final class JsonWriter {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonWriter() {}

  /** Writes {@code value}; {@code level} below 0 means on one line. */
  static void write(StringBuilder out, @Nullable Object value, int level) {
    switch (value) {
      case null -> out.append("null");
      case String text -> string(out, text);
      case Map<?, ?> map -> map(out, map, level);
      case Collection<?> list -> list(out, list, level);
      case JsonObject object -> map(out, object.values(), level);
      case Double number when !Double.isFinite(number) ->
          throw new JsonException("JSON has no number for " + number);
      case Float number when !Float.isFinite(number) ->
          throw new JsonException("JSON has no number for " + number);
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      default -> string(out, value.toString());
    }
  }

  private static void map(StringBuilder out, Map<?, ?> map, int level) {
    if (map.isEmpty()) {
      out.append("{}");
      return;
    }
    out.append('{');
    String between = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(between);
      line(out, level, 1);
      string(out, String.valueOf(entry.getKey()));
      out.append(level < 0 ? ":" : ": ");
      write(out, entry.getValue(), level < 0 ? -1 : level + 1);
      between = ",";
    }
    line(out, level, 0);
    out.append('}');
  }

  private static void list(StringBuilder out, Collection<?> list, int level) {
    Iterator<?> values = list.iterator();
    if (!values.hasNext()) {
      out.append("[]");
      return;
    }
    out.append('[');
    String between = "";
    while (values.hasNext()) {
      out.append(between);
      line(out, level, 1);
      write(out, values.next(), level < 0 ? -1 : level + 1);
      between = ",";
    }
    line(out, level, 0);
    out.append(']');
  }

  private static void line(StringBuilder out, int level, int deeper) {
    if (level >= 0) {
      out.append('\n').repeat("  ", level + deeper);
    }
  }

  private static void string(StringBuilder out, String text) {
    out.append('"');
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == '"' || c == '\\' || Character.isSurrogate(c)) {
        out.append(text, from, i);
        i += escape(out, text, i, c);
        from = i + 1;
      }
    }
    out.append(text, from, text.length()).append('"');
  }

  /** Writes the character at {@code i} and returns how many further characters it took. */
  private static int escape(StringBuilder out, String text, int i, char c) {
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
