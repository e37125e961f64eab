package dev.millrace.core.json;

import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as plain values: {@code Map<String, Object>} in the order written, {@code
 * List<Object>}, {@code String}, {@code Long} (or {@code BigDecimal} where one does not fit),
 * {@code Boolean} and null. Strict: one value, no comments, no duplicate names, valid surrogates.
 */
public final class Json {

  /** Deepest nesting that is read; more is refused before the stack is at risk. */
  public static final int MAX_DEPTH = 200;

  private Json() {}

  public static @Nullable Object parse(String text) {
    return new JsonReader(text).document();
  }

  /** The object in {@code text}; anything else is refused. */
  public static JsonObject object(String text) {
    return JsonObject.of(parse(text), "the document");
  }

  /** One line, no spaces. */
  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    JsonWriter.write(out, value, -1);
    return out.toString();
  }

  /** Two spaces a level, for files that people read; ends without a newline. */
  public static String pretty(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    JsonWriter.write(out, value, 0);
    return out.toString();
  }
}
