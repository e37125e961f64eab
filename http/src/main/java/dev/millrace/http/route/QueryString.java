package dev.millrace.http.route;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses a query string, encoded as HTML forms are: {@code name=value&name=value}. */
public final class QueryString {
  private static final int MAX_PARAMETERS = 100;

  private QueryString() {}

  /**
   * @throws Problem if an escape is broken, or there are too many parameters
   */
  public static Map<String, List<String>> parse(String raw) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    if (raw.isEmpty()) {
      return parameters;
    }
    String[] pairs = raw.split("&", -1);
    if (pairs.length > MAX_PARAMETERS) {
      throw problem("has more than " + MAX_PARAMETERS + " parameters");
    }
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (!pair.isEmpty()) {
        parameters.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    byte[] bytes = new byte[text.length()];
    int size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int value = c == '+' ? ' ' : c == '%' ? PercentEncoding.hex(text, i + 1) : c;
      if (value < 0 || value > 255 || c != '%' && (c < ' ' || c > 126)) {
        throw problem("must be ASCII with whole escapes (%XX)");
      }
      bytes[size++] = (byte) value;
      i += c == '%' ? 2 : 0;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size)).toString();
    } catch (CharacterCodingException e) {
      throw problem("must be UTF-8 where it is escaped");
    }
  }

  private static Problem problem(String rule) {
    return new Problem(Problem.Kind.INVALID, "request/query " + rule);
  }
}
