package dev.millrace.engine.internal.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of our own test data into plain objects. */
final class PlainJson {
  private final String text;
  private int at;

  private PlainJson(String text) {
    this.text = text;
  }

  static @Nullable Object read(String text) {
    return new PlainJson(text).value();
  }

  private @Nullable Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private char peek() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }

  private boolean skip(char c) {
    if (peek() != c) {
      return false;
    }
    at++;
    return true;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    at += word.length();
    return value;
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    at++;
    while (!skip('}')) {
      peek();
      String key = string();
      skip(':');
      map.put(key, value());
      skip(',');
    }
    return map;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> list = new ArrayList<>();
    at++;
    while (!skip(']')) {
      list.add(value());
      skip(',');
    }
    return list;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char kind = text.charAt(++at);
      switch (kind) {
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case 'r' -> out.append('\r');
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'u' -> {
          out.append((char) Integer.parseInt(text, at + 1, at + 5, 16));
          at += 4;
        }
        default -> out.append(kind);
      }
    }
    at++;
    return out.toString();
  }

  private Object number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String number = text.substring(from, at);
    return number.matches("-?\\d+") ? (Object) Long.valueOf(number) : Double.valueOf(number);
  }
}
