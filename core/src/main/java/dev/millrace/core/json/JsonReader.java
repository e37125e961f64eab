package dev.millrace.core.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A strict recursive-descent reader over one text. */
final class JsonReader {
  private final String text;
  private final int deepest;
  private int at;
  private int depth;
  private boolean lastWins;

  JsonReader(String text, int deepest) {
    this.text = text;
    this.deepest = deepest;
  }

  /** Of a name that is repeated, the last value counts. */
  JsonReader lastWins() {
    lastWins = true;
    return this;
  }

  @Nullable Object document() {
    Object value = value();
    space();
    if (at < text.length()) {
      throw error("nothing after the value");
    }
    return value;
  }

  private @Nullable Object value() {
    space();
    return switch (peek()) {
      case '{' -> nested(this::object);
      case '[' -> nested(this::array);
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Object nested(java.util.function.Supplier<Object> read) {
    if (++depth > deepest) {
      throw error("at most " + deepest + " levels");
    }
    at++;
    Object value = read.get();
    depth--;
    return value;
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    space();
    if (peek() == '}') {
      at++;
      return map;
    }
    while (true) {
      space();
      int start = at;
      if (peek() != '"') {
        throw error("a name in quotes");
      }
      String name = string();
      space();
      expect(':');
      Object value = value();
      if (!lastWins && map.containsKey(name)) {
        at = start;
        throw error("each name once; \"" + name + "\" is repeated");
      }
      map.put(name, value);
      space();
      if (more('}')) {
        return map;
      }
    }
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> list = new ArrayList<>();
    space();
    if (peek() == ']') {
      at++;
      return list;
    }
    while (true) {
      list.add(value());
      space();
      if (more(']')) {
        return list;
      }
    }
  }

  private boolean more(char end) {
    char c = peek();
    if (c != ',' && c != end) {
      throw error("\",\" or \"" + end + "\"");
    }
    at++;
    return c == end;
  }

  private String string() {
    at++;
    int from = at;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        return paired(text.substring(from, at++));
      }
      if (c == '\\') {
        return escaped(new StringBuilder().append(text, from, at));
      }
      if (c < 0x20) {
        throw error("control characters escaped");
      }
      at++;
    }
    throw error("a closing quote");
  }

  private String escaped(StringBuilder out) {
    while (at < text.length()) {
      char c = text.charAt(at++);
      switch (c) {
        case '"' -> {
          return paired(out.toString());
        }
        case '\\' -> out.append(escape());
        default -> {
          if (c < 0x20) {
            at--;
            throw error("control characters escaped");
          }
          out.append(c);
        }
      }
    }
    throw error("a closing quote");
  }

  /**
   * Refuses half a surrogate pair: it has no UTF-8 form, so no file and no response could hold it.
   */
  private String paired(String string) {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (Character.isSurrogate(c)) {
        if (i + 1 == string.length() || !Character.isSurrogatePair(c, string.charAt(i + 1))) {
          throw error("surrogates in pairs");
        }
        i++;
      }
    }
    return string;
  }

  private char escape() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex();
      default -> {
        at--;
        throw error("a known escape");
      }
    };
  }

  private char hex() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
      if (digit < 0 || text.charAt(at) > 'f') {
        throw error("four hexadecimal digits");
      }
      value = value * 16 + digit;
      at++;
    }
    return (char) value;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw error("a value");
    }
    at += word.length();
    return value;
  }

  private Object number() {
    int from = at;
    boolean whole = true;
    if (peek() == '-') {
      at++;
    }
    int digits = digits();
    if (digits == 0 || digits > 1 && text.charAt(at - digits) == '0') {
      at = from;
      throw error("a value");
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      whole = false;
      need(digits());
    }
    if (at < text.length() && (text.charAt(at) | 32) == 'e') {
      at++;
      whole = false;
      if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
        at++;
      }
      need(digits());
    }
    String number = text.substring(from, at);
    if (number.length() > 400) {
      throw error("numbers of at most 400 characters");
    }
    return whole && number.length() <= 18 ? (Object) Long.valueOf(number) : big(number);
  }

  private Object big(String number) {
    try {
      BigDecimal value = new BigDecimal(number);
      // 5E0 is written as 5, and must then be what 5 is read as
      if (value.scale() == 0
          && value.precision() <= 19
          && value.equals(BigDecimal.valueOf(value.longValue()))) {
        return value.longValue();
      }
      return value;
    } catch (NumberFormatException e) {
      throw error("a number in range");
    }
  }

  private void need(int digits) {
    if (digits == 0) {
      throw error("a digit");
    }
  }

  private int digits() {
    int from = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at - from;
  }

  private void space() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return;
      }
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw error("more: the text ends");
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw error("\"" + c + "\"");
    }
    at++;
  }

  private JsonException error(String expected) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < Math.min(at, text.length()); i++) {
      column++;
      if (text.charAt(i) == '\n') {
        line++;
        column = 1;
      }
    }
    return new JsonException(
        "not valid JSON at line " + line + ", column " + column + ": expected " + expected);
  }
}
