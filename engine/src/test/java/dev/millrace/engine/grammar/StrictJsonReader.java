package dev.millrace.engine.grammar;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON strictly by RFC 8259; numbers become BigDecimal. Throws IllegalArgumentException for
 * anything else.
 */
public final class StrictJsonReader {
  private final String text;
  private int at;

  private StrictJsonReader(String text) {
    this.text = text;
  }

  public static @Nullable Object read(String text) {
    StrictJsonReader reader = new StrictJsonReader(text);
    Object value = reader.value();
    reader.blanks();
    reader.check(reader.at == text.length(), "more after the value");
    return value;
  }

  static @Nullable Object read(byte[] utf8) {
    try {
      return read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("not UTF-8", e);
    }
  }

  private void check(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem + " at " + at + " of " + text);
    }
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void expect(String literal) {
    check(text.startsWith(literal, at), "expected " + literal);
    at += literal.length();
  }

  private @Nullable Object value() {
    blanks();
    switch (peek()) {
      case '{' -> {
        return object();
      }
      case '[' -> {
        return array();
      }
      case '"' -> {
        return string();
      }
      case 't' -> {
        expect("true");
        return true;
      }
      case 'f' -> {
        expect("false");
        return false;
      }
      case 'n' -> {
        expect("null");
        return null;
      }
      default -> {
        return number();
      }
    }
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    expect("{");
    blanks();
    if (peek() != '}') {
      while (true) {
        blanks();
        String key = string();
        blanks();
        expect(":");
        map.put(key, value());
        blanks();
        if (peek() != ',') {
          break;
        }
        at++;
      }
    }
    expect("}");
    return map;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> list = new ArrayList<>();
    expect("[");
    blanks();
    if (peek() != ']') {
      list.add(value());
      blanks();
      while (peek() == ',') {
        at++;
        list.add(value());
        blanks();
      }
    }
    expect("]");
    return list;
  }

  private String string() {
    expect("\"");
    StringBuilder string = new StringBuilder();
    while (peek() != '"') {
      check(at < text.length() && peek() >= 0x20, "control character or end in a string");
      char c = text.charAt(at++);
      string.append(c == '\\' ? escape() : c);
    }
    at++;
    check(string.codePoints().noneMatch(c -> c >= 0xd800 && c <= 0xdfff), "half a surrogate pair");
    return string.toString();
  }

  private char escape() {
    char c = peek();
    at++;
    if (c == 'u') {
      String hex = text.substring(at, at + 4);
      check(hex.matches("[0-9a-fA-F]{4}"), "bad escape");
      at += 4;
      return (char) Integer.parseInt(hex, 16);
    }
    int index = "\"\\/bfnrt".indexOf(c);
    check(index >= 0, "bad escape");
    return "\"\\/\b\f\n\r\t".charAt(index);
  }

  private BigDecimal number() {
    var matcher =
        java.util.regex.Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
            .matcher(text);
    check(matcher.find(at) && matcher.start() == at, "no value");
    at = matcher.end();
    return new BigDecimal(matcher.group());
  }
}
