package dev.millrace.core.json;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as plain values: {@code Map<String, Object>} in the order written, {@code
 * List<Object>}, {@code String}, {@code Long} (or {@code BigDecimal} where one does not fit),
 * {@code Boolean} and null. Strict: one value, no comments, no duplicate names, valid surrogates.
 */
public final class Json {

  /** Deepest nesting that is read; more is refused before the stack is at risk. */
  public static final int MAX_DEPTH = 200;

  /**
   * Deepest nesting of what is taken in from outside. What is kept of it stands some levels deeper in
   * what we write, and that must still be read.
   */
  public static final int MAX_INPUT_DEPTH = 100;

  private Json() {}

  public static @Nullable Object parse(String text) {
    return new JsonReader(text, MAX_DEPTH).document();
  }

  /** As {@link #parse}, of what comes from outside: at most {@link #MAX_INPUT_DEPTH} levels. */
  public static @Nullable Object parseInput(String text) {
    return new JsonReader(text, MAX_INPUT_DEPTH).document();
  }

  /**
   * {@code value}, if it has at most {@link #MAX_INPUT_DEPTH} levels.
   *
   * @param what names it in the error
   */
  public static <T extends @Nullable Object> T requireDepth(T value, String what) {
    if (isDeeper(value, MAX_INPUT_DEPTH)) {
      throw new IllegalArgumentException(
          what + " may be nested at most " + MAX_INPUT_DEPTH + " levels deep");
    }
    return value;
  }

  private static boolean isDeeper(@Nullable Object value, int levels) {
    return switch (value) {
      case JsonObject object -> isDeeper(object.values(), levels);
      case Map<?, ?> map -> levels == 0 || anyDeeper(map.values(), levels - 1);
      case Collection<?> list -> levels == 0 || anyDeeper(list, levels - 1);
      case null, default -> false;
    };
  }

  private static boolean anyDeeper(Collection<?> values, int levels) {
    for (Object value : values) {
      if (isDeeper(value, levels)) {
        return true;
      }
    }
    return false;
  }

  /** The object in {@code text}; anything else is refused. */
  public static JsonObject object(String text) {
    return JsonObject.of(parse(text), "the document");
  }

  /** One line, no spaces. */
  public static String write(@Nullable Object value) {
    return new JsonWriter(Set.of()).write(value, -1);
  }

  /** Two spaces a level, for files that people read; ends without a newline. */
  public static String pretty(@Nullable Object value) {
    return pretty(value, Set.of());
  }

  /**
   * As {@link #pretty(Object)}, but for fields that may hold anything: with an indent before each of
   * their values a file could be many times as large as what it says.
   *
   * @param oneLine the names of fields that are written on one line
   */
  public static String pretty(@Nullable Object value, Set<String> oneLine) {
    return new JsonWriter(oneLine).write(value, 0);
  }
}
