package dev.millrace.cli.model;

import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.JsonObject;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Formats values of a model's metadata as text and as JSON; long arrays are shortened. */
final class MetadataText {
  private static final int SHOWN = 8;
  private static final int WIDE = 100;

  private MetadataText() {}

  /** On one line. */
  static String line(Object value) {
    if (!value.getClass().isArray()) {
      return SanitizedText.line(plain(value).toString(), WIDE);
    }
    int length = Array.getLength(value);
    List<String> first = new ArrayList<>();
    for (int i = 0; i < Math.min(length, SHOWN); i++) {
      first.add(SanitizedText.line(line(Array.get(value, i)), WIDE / SHOWN * 2));
    }
    String more = length > SHOWN ? ", …" : "";
    return length + ": [" + SanitizedText.line(String.join(", ", first), WIDE) + more + "]";
  }

  /** Most numbers were floats: 1.0E-5, not 9.999999747378752E-6. */
  private static Object plain(Object value) {
    return value instanceof Double number && number == number.floatValue()
        ? (Object) number.floatValue()
        : value;
  }

  /** As JSON: a long array is an object of its length and its first elements. */
  static Object json(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      return number.toString(); // not a JSON number
    }
    if (!value.getClass().isArray()) {
      return plain(value);
    }
    int length = Array.getLength(value);
    List<Object> first = new ArrayList<>();
    for (int i = 0; i < Math.min(length, SHOWN); i++) {
      first.add(json(Array.get(value, i)));
    }
    return length <= SHOWN ? first : JsonObject.create().put("length", length).put("first", first);
  }
}
