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

  /** The deepest nesting that is read. Deeper text is refused before the stack overflows. */
  public static final int MAX_DEPTH = 200;

  /**
   * The deepest nesting of input from outside. Our files hold it some levels deeper and must still
   * be readable.
   */
  public static final int MAX_INPUT_DEPTH = 100;

  private Json() {}

  public static @Nullable Object parse(String text) {
    return new JsonReader(text, MAX_DEPTH).document();
  }

  /**
   * As {@link #object}, but a name may be repeated: its last value counts, as with most readers of
   * JSON. For text that a model wrote and others have read already.
   */
  public static JsonObject objectLastWins(String text) {
    return JsonObject.of(new JsonReader(text, MAX_DEPTH).lastWins().document(), "the document");
  }

  /** As {@link #parse}, for input from outside: at most {@link #MAX_INPUT_DEPTH} levels. */
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

  /** The object in {@code text}; any other value is refused. */
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
   * As {@link #pretty(Object)}, with some fields on one line: with an indent before each nested
   * value a file could get many times larger than its content.
   *
   * @param oneLine the names of these fields
   */
  public static String pretty(@Nullable Object value, Set<String> oneLine) {
    return new JsonWriter(oneLine).write(value, 0);
  }
}
