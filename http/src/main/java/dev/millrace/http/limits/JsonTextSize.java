package dev.millrace.http.limits;

import dev.millrace.core.json.JsonObject;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Estimates how many characters a JSON value takes when written, to charge a memory budget. */
public final class JsonTextSize {
  private static final int SCALAR = 16;
  private static final int MARKS = 4; // quotes, a comma, a colon

  private JsonTextSize() {}

  public static long of(@Nullable Object value) {
    return switch (value) {
      case null -> SCALAR;
      case String text -> text.length() + MARKS;
      case JsonObject object -> of(object.values());
      case Map<?, ?> map -> {
        long sum = MARKS;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          sum += String.valueOf(entry.getKey()).length() + MARKS + of(entry.getValue());
        }
        yield sum;
      }
      case Collection<?> list -> {
        long sum = MARKS;
        for (Object one : list) {
          sum += of(one);
        }
        yield sum;
      }
      default -> SCALAR;
    };
  }
}
