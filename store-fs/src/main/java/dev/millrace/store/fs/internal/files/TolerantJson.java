package dev.millrace.store.fs.internal.files;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;

/**
 * Reads the fields of a JSON object one by one and leaves out those that cannot be read, such as a
 * number of a thousand digits. For files of other programs, where one bad field must not hide the
 * others. What comes after a syntax error is left out, too.
 */
final class TolerantJson {
  private final String text;
  private int at;

  private TolerantJson(String text) {
    this.text = text;
  }

  /** The fields that can be read; empty if it is no object. The last of several counts. */
  static JsonObject object(String text) {
    return new TolerantJson(text).fields();
  }

  private JsonObject fields() {
    JsonObject out = JsonObject.create();
    at = text.startsWith("\uFEFF") ? 1 : 0;
    skip(" \t\r\n");
    if (next() != '{') {
      return out;
    }
    at++;
    skip(" \t\r\n");
    while (next() == '"') {
      String name = value(":");
      at++;
      String value = value(",}");
      put(out, name, value);
      skip(" \t\r\n,");
    }
    return out;
  }

  private static void put(JsonObject out, String name, String value) {
    try {
      if (Json.parse(name) instanceof String key) {
        out.put(key, Json.parse(value));
      }
    } catch (JsonException e) {
      // the other fields count nevertheless
    }
  }

  /** The text up to one of {@code ends} that is neither in a string nor in brackets. */
  private String value(String ends) {
    int start = Math.min(at, text.length());
    int depth = 0;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (depth == 0 && ends.indexOf(c) >= 0) {
        break;
      }
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (c == '}' || c == ']') {
        depth--;
      }
    }
    return text.substring(start, Math.min(at, text.length())).strip();
  }

  /** Goes to the end of a string. */
  private void string() {
    for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
      if (text.charAt(at) == '\\') {
        at++;
      }
    }
  }

  private void skip(String characters) {
    while (at < text.length() && characters.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    return at < text.length() ? text.charAt(at) : '\0';
  }
}
