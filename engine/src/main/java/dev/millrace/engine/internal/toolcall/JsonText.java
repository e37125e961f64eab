package dev.millrace.engine.internal.toolcall;

/** Strings of JSON, and what a text is as JSON. */
final class JsonText {
  private JsonText() {}

  /** A control character as JSON writes it. */
  static String escape(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04x".formatted((int) c);
    };
  }

  /** A text as a JSON string. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(escape(c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** The text of a valid JSON string, which may begin and end with quotes. */
  static String unquote(String json) {
    StringBuilder text = new StringBuilder();
    int end = json.length() - 1;
    for (int i = 1; i < end; i++) {
      char c = json.charAt(i);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      char kind = json.charAt(++i);
      switch (kind) {
        case 'b' -> text.append('\b');
        case 'f' -> text.append('\f');
        case 'n' -> text.append('\n');
        case 'r' -> text.append('\r');
        case 't' -> text.append('\t');
        case 'u' -> {
          text.append((char) Integer.parseInt(json, i + 1, i + 5, 16));
          i += 4;
        }
        default -> text.append(kind);
      }
    }
    return text.toString();
  }

  /** How far a text is a JSON value. */
  enum Extent {
    COMPLETE,
    /** The beginning of one. */
    OPEN,
    NONE
  }

  static Extent extent(String text) {
    JsonScanner scanner = new JsonScanner();
    String value = text.strip();
    for (int i = 0; i < value.length(); i++) {
      JsonScanner.Result result = scanner.accept(value.charAt(i));
      if (result == JsonScanner.Result.FAIL || result == JsonScanner.Result.DONE_BEFORE) {
        return Extent.NONE;
      }
    }
    return scanner.isComplete() ? Extent.COMPLETE : Extent.OPEN;
  }

  /** The name of the type of a complete value, as JSON Schema has it. */
  static String type(String value) {
    return switch (value.charAt(0)) {
      case '{' -> "object";
      case '[' -> "array";
      case '"' -> "string";
      case 't', 'f' -> "boolean";
      case 'n' -> "null";
      default -> value.matches("-?\\d+") ? "integer" : "number";
    };
  }

  /** A valid JSON value with control characters in its strings escaped. */
  static String clean(String value) {
    JsonScanner scanner = new JsonScanner();
    StringBuilder clean = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      scanner.accept(value.charAt(i));
      clean.append(scanner.spelling(value.charAt(i)));
    }
    return clean.toString();
  }
}
