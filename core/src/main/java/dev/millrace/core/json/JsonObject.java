package dev.millrace.core.json;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object with typed reads, whose errors name the field, and with chained writes. */
public final class JsonObject {
  private final String where;
  private final Map<String, @Nullable Object> values;

  private JsonObject(String where, Map<String, @Nullable Object> values) {
    this.where = where;
    this.values = values;
  }

  public static JsonObject create() {
    return new JsonObject("the object", new LinkedHashMap<>());
  }

  /** {@code value} as an object; {@code where} names it in errors. */
  @SuppressWarnings("unchecked") // the reader makes maps with string keys only
  public static JsonObject of(@Nullable Object value, String where) {
    if (value instanceof JsonObject object) {
      return new JsonObject(where, object.values);
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new JsonException(where + " must be an object, not " + kind(value));
    }
    return new JsonObject(where, (Map<String, @Nullable Object>) map);
  }

  public Map<String, @Nullable Object> values() {
    return values;
  }

  public JsonObject put(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  /** Adds the field if the value is not null. */
  public JsonObject putIfPresent(String name, @Nullable Object value) {
    return value == null ? this : put(name, value);
  }

  public boolean has(String name) {
    return values.get(name) != null;
  }

  public @Nullable Object get(String name) {
    return values.get(name);
  }

  /** Refuses unknown fields by name. */
  public JsonObject only(Set<String> known) {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw new JsonException(
            where
                + " has an unknown field \""
                + name
                + "\"; known: "
                + String.join(", ", known.stream().sorted().toList()));
      }
    }
    return this;
  }

  public String string(String name) {
    return need(name, string(name, null));
  }

  public @Nullable String string(String name, @Nullable String otherwise) {
    return switch (values.get(name)) {
      case null -> otherwise;
      case String text -> text;
      case Object value -> throw mistyped(name, "text", value);
    };
  }

  public long integer(String name) {
    return need(name, integerOrNull(name));
  }

  public long integer(String name, long otherwise) {
    Long value = integerOrNull(name);
    return value == null ? otherwise : value;
  }

  private @Nullable Long integerOrNull(String name) {
    return switch (values.get(name)) {
      case null -> null;
      case Long number -> number;
      case Integer number -> number.longValue();
      case BigDecimal number when isWhole(number) -> number.longValueExact();
      case Object value -> throw mistyped(name, "a whole number", value);
    };
  }

  /** Whether a number is a long in any notation: 1.0 and 1e2 are. */
  private static boolean isWhole(BigDecimal number) {
    try {
      number.longValueExact();
      return true;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  public double number(String name, double otherwise) {
    return switch (values.get(name)) {
      case null -> otherwise;
      case Number number -> number.doubleValue();
      case Object value -> throw mistyped(name, "a number", value);
    };
  }

  public boolean flag(String name, boolean otherwise) {
    return switch (values.get(name)) {
      case null -> otherwise;
      case Boolean flag -> flag;
      case Object value -> throw mistyped(name, "true or false", value);
    };
  }

  public List<@Nullable Object> list(String name) {
    return switch (values.get(name)) {
      case null -> List.of();
      case List<?> list -> Collections.unmodifiableList(list);
      case Object value -> throw mistyped(name, "a list", value);
    };
  }

  /** The object under {@code name}; empty if absent. */
  public JsonObject object(String name) {
    Object value = values.get(name);
    return value == null ? create() : of(value, where + "." + name);
  }

  private <T> T need(String name, @Nullable T value) {
    if (value == null) {
      throw new JsonException(where + " has no \"" + name + "\"");
    }
    return value;
  }

  private JsonException mistyped(String name, String expected, @Nullable Object value) {
    return new JsonException(
        where + ": \"" + name + "\" must be " + expected + ", not " + kind(value));
  }

  private static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> "text";
      case Number number -> "the number " + number;
      case Boolean flag -> flag.toString();
      case List<?> list -> "a list";
      default -> "an object";
    };
  }

  /** Compares values; the order of the fields and the name in errors do not matter. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsonObject object && values.equals(object.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return Json.write(values);
  }
}
