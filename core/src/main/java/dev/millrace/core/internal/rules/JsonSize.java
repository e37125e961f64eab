package dev.millrace.core.internal.rules;

import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How large a JSON value is in memory, which may be thirty times what its text is.
 *
 * @param values it and all values in it, without names
 * @param names the names of all fields
 * @param characters of all texts and names
 */
public record JsonSize(long values, long names, long characters) {
  /** About what a value or a name takes, beside its characters. */
  private static final long EACH = 100;

  private static final class Count {
    private long values;
    private long names;
    private long characters;

    private void add(@Nullable Object value) {
      values++;
      switch (value) {
        case String text -> characters += text.length();
        case JsonObject object -> addFields(object.values());
        case Map<?, ?> fields -> addFields(fields);
        case BigDecimal number -> characters += number.precision();
        case Iterable<?> list -> list.forEach(this::add);
        case null, default -> {} // a number, true, false or null
      }
    }

    private void addFields(Map<?, ?> fields) {
      fields.forEach(
          (name, value) -> {
            names++;
            characters += String.valueOf(name).length();
            add(value);
          });
    }
  }

  public static JsonSize of(@Nullable Object value) {
    Count count = new Count();
    count.add(value);
    return new JsonSize(count.values, count.names, count.characters);
  }

  /** About how many bytes of memory it takes. */
  public long memory() {
    return EACH * (values + names) + 2 * characters;
  }

  /** At most how many bytes it has as JSON: a character takes up to six, a number up to 30. */
  public long mostJsonBytes() {
    return 30 * (values + names) + 6 * characters;
  }
}
