package dev.millrace.http.openapi;

import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random values that mostly match a schema, and changes that break them. */
final class RandomSchemaValues {
  private static final List<Object> ODD =
      List.of(
          "",
          "x",
          "VERY_HIGH",
          "2026-01-31T09:00:00Z",
          "2026-02-30T09:00:00Z",
          "10m",
          "ab\tc",
          "naïve 𝄞",
          "https://host/x",
          "0006449a-1f2c-8b40-8d11-c00007000000",
          0L,
          -1L,
          1L,
          1_000_000L,
          new BigDecimal("0.5"),
          new BigDecimal("1.0"),
          new BigDecimal("3e9"),
          true,
          false,
          List.of(),
          List.of("x"),
          Map.of(),
          Map.of("x", 1L));

  private final JsonObject document;
  private final Random random;

  RandomSchemaValues(JsonObject document, Random random) {
    this.document = document;
    this.random = random;
  }

  @Nullable Object of(@Nullable Object source, int depth) {
    if (!(source instanceof Map<?, ?>)) {
      return odd();
    }
    JsonObject schema = JsonObject.of(source, "schema");
    if (schema.has("$ref")) {
      String name = schema.string("$ref").substring("#/components/schemas/".length());
      return of(document.object("components").object("schemas").get(name), depth + 1);
    }
    if (schema.values().containsKey("const")) {
      return schema.get("const");
    }
    if (schema.has("enum")) {
      return pick(schema.list("enum"));
    }
    if (schema.has("examples") && random.nextInt(4) > 0) {
      return pick(schema.list("examples"));
    }
    for (String choice : List.of("oneOf", "anyOf")) {
      if (schema.has(choice)) {
        return chosen(schema, choice, depth);
      }
    }
    return typed(schema, depth);
  }

  private @Nullable Object chosen(JsonObject schema, String choice, int depth) {
    Object part = pick(schema.list(choice));
    if (!schema.has("properties")) {
      return of(part, depth + 1);
    }
    List<String> needed = new ArrayList<>();
    JsonObject.of(part, choice).list("required").forEach(name -> needed.add(String.valueOf(name)));
    List<String> rivals = new ArrayList<>();
    for (Object other : schema.list(choice)) {
      JsonObject.of(other, choice).list("required").forEach(n -> rivals.add(String.valueOf(n)));
    }
    rivals.removeAll(needed);
    return object(schema, needed, random.nextInt(5) > 0 ? rivals : List.of(), depth);
  }

  private @Nullable Object typed(JsonObject schema, int depth) {
    Object type = schema.get("type");
    Object one = type instanceof List<?> several ? pick(several) : type;
    return switch (String.valueOf(one)) {
      case "object" -> object(schema, List.of(), List.of(), depth);
      case "array" -> array(schema, depth);
      case "string" -> text(schema);
      case "integer" -> number(schema, true);
      case "number" -> number(schema, random.nextBoolean());
      case "boolean" -> random.nextBoolean();
      case "null" -> null;
      default -> odd();
    };
  }

  private Map<String, @Nullable Object> object(
      JsonObject schema, List<String> needed, List<String> without, int depth) {
    Map<String, @Nullable Object> out = new LinkedHashMap<>();
    List<Object> required = new ArrayList<>(schema.list("required"));
    required.addAll(needed);
    for (Map.Entry<String, @Nullable Object> part :
        schema.object("properties").values().entrySet()) {
      boolean wanted = random.nextInt(3) == 0 && depth < 8 && !without.contains(part.getKey());
      if (required.contains(part.getKey()) || wanted) {
        out.put(part.getKey(), of(part.getValue(), depth + 1));
      }
    }
    Object others = schema.values().getOrDefault("additionalProperties", Boolean.TRUE);
    if (!Boolean.FALSE.equals(others) && random.nextInt(3) == 0) {
      out.put("more", others instanceof Map<?, ?> ? of(others, depth + 1) : odd());
    }
    return out;
  }

  private List<@Nullable Object> array(JsonObject schema, int depth) {
    int least = (int) schema.integer("minItems", 0);
    int size = Math.max(least, depth < 6 ? random.nextInt(3) : 0);
    List<@Nullable Object> out = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      out.add(of(schema.get("items"), depth + 1));
    }
    return out;
  }

  private String text(JsonObject schema) {
    if (schema.has("format") && random.nextInt(8) > 0) {
      return switch (schema.string("format")) {
        case "uuid" -> "0006449a-1f2c-8b40-8d11-c00007000000";
        case "date-time" ->
            "2026-01-31T09:00:00" + pick(List.of("Z", ".25Z", "+02:00", ".123456Z"));
        default -> pick(List.of("https://host/x?y=1", "http://10.0.0.1:8080", "ftp://host/"));
      };
    }
    long least = schema.integer("minLength", 0);
    long most = Math.min(schema.integer("maxLength", 60), 60);
    int length = (int) (least + random.nextLong(Math.max(1, most - least + 1)));
    String letters = pick(List.of("a", "a7", "abc_-.", " é", "𝄞"));
    StringBuilder out = new StringBuilder();
    while (out.codePointCount(0, out.length()) < length) {
      int at = random.nextInt(letters.codePointCount(0, letters.length()));
      out.appendCodePoint(letters.codePointAt(letters.offsetByCodePoints(0, at)));
    }
    return out.toString();
  }

  private Number number(JsonObject schema, boolean whole) {
    double low = Math.max(schema.number("minimum", schema.number("exclusiveMinimum", -5)), -1e6);
    double high = Math.min(schema.number("maximum", low + 10), low + 1e6);
    double value = low + random.nextDouble() * (high - low);
    return whole
        ? (Number) Math.clamp(Math.round(value), (long) Math.ceil(low), (long) Math.floor(high))
        : BigDecimal.valueOf(value);
  }

  /** A copy with one value changed, removed or added. */
  @Nullable Object broken(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map when !map.isEmpty() -> brokenObject(map);
      case List<?> list when !list.isEmpty() && random.nextInt(4) > 0 -> {
        List<@Nullable Object> copy = new ArrayList<>(list);
        int at = random.nextInt(copy.size());
        copy.set(at, broken(copy.get(at)));
        yield copy;
      }
      case String text when random.nextBoolean() ->
          random.nextBoolean() ? "é" + text : text.substring(text.length() / 2);
      case Number number when random.nextBoolean() ->
          new BigDecimal(number.toString()).negate().subtract(BigDecimal.ONE);
      case null, default -> random.nextInt(8) == 0 ? null : odd();
    };
  }

  private Map<String, @Nullable Object> brokenObject(Map<?, ?> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((name, part) -> copy.put(String.valueOf(name), part));
    String name = pick(new ArrayList<>(copy.keySet()));
    switch (random.nextInt(4)) {
      case 0 -> copy.remove(name);
      case 1 -> copy.put("unknown" + random.nextInt(10), odd());
      default -> copy.put(name, broken(copy.get(name)));
    }
    return copy;
  }

  private Object odd() {
    return pick(ODD);
  }

  @SuppressWarnings("unchecked") // the type of the list is known
  private <T> T pick(List<?> among) {
    return (T) among.get(random.nextInt(among.size()));
  }
}
