package dev.millrace.http.openapi;

import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The JSON types that a schema allows. */
record SchemaType(Set<Kind> kinds) {

  /** A JSON type, with its name in messages. */
  enum Kind {
    OBJECT("an object"),
    ARRAY("a list"),
    STRING("text"),
    INTEGER("a whole number"),
    NUMBER("a number"),
    BOOLEAN("true or false"),
    NULL("null");

    private final String description;

    Kind(String description) {
      this.description = description;
    }
  }

  static final SchemaType ANY = new SchemaType(EnumSet.allOf(Kind.class));

  SchemaType {
    kinds = kinds.isEmpty() ? EnumSet.noneOf(Kind.class) : EnumSet.copyOf(kinds);
  }

  boolean allows(@Nullable Object value) {
    return switch (value) {
      case null -> kinds.contains(Kind.NULL);
      case String text -> kinds.contains(Kind.STRING);
      case Map<?, ?> map -> kinds.contains(Kind.OBJECT);
      case JsonObject object -> kinds.contains(Kind.OBJECT);
      case List<?> list -> kinds.contains(Kind.ARRAY);
      case Boolean flag -> kinds.contains(Kind.BOOLEAN);
      case Number number ->
          kinds.contains(Kind.NUMBER) || kinds.contains(Kind.INTEGER) && isWhole(number);
      default -> throw new IllegalArgumentException("not a JSON value: " + value.getClass());
    };
  }

  boolean isListOnly() {
    return kinds.equals(EnumSet.of(Kind.ARRAY));
  }

  boolean isIntegerOnly() {
    return kinds.contains(Kind.INTEGER) && !kinds.contains(Kind.NUMBER);
  }

  /** In JSON Schema, 1.0 is an integer. */
  private static boolean isWhole(Number number) {
    return switch (number) {
      case BigDecimal big -> big.scale() <= 0 || big.stripTrailingZeros().scale() <= 0;
      case Double real -> real == Math.rint(real);
      case Float real -> real == Math.rint(real);
      default -> true;
    };
  }

  @Override
  public String toString() {
    List<String> names = new ArrayList<>();
    kinds.forEach(kind -> names.add(kind.description));
    return String.join(" or ", names);
  }
}
