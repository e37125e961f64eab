package dev.millrace.engine.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Random schemas with all supported keywords. */
public final class RandomSchemas {
  private static final String[] NAMES = {"a", "ab", "b", "é\"", "name", "n\n", ""};
  private static final String[] PATTERNS = {
    "^[a-z]{2,4}$",
    "ab+",
    "^(foo|bar)?$",
    "^\\d{3}-\\w+$",
    "[\"\\\\]$",
    "^[^a-z]*x|^y$",
    "^\\s?.{0,3}$",
    "(a|bc){2}"
  };

  private final SplittableRandom random;

  public RandomSchemas(long seed) {
    random = new SplittableRandom(seed);
  }

  public Map<String, @Nullable Object> schema() {
    Map<String, @Nullable Object> root = schema(3);
    Map<String, Object> defs = new LinkedHashMap<>();
    defs.put("leaf", schema(0));
    defs.put(
        "list", Map.of("type", "array", "items", Map.of("$ref", "#/$defs/node"), "maxItems", 3));
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("value", Map.of("$ref", "#/$defs/leaf"));
    properties.put("more", Map.of("$ref", "#/$defs/list"));
    defs.put(
        "node", Map.of("type", "object", "properties", properties, "required", List.of("value")));
    root.put("$defs", defs);
    return root;
  }

  private Map<String, @Nullable Object> schema(int depth) {
    Map<String, @Nullable Object> schema = new LinkedHashMap<>();
    switch (random.nextInt(depth == 0 ? 6 : 12)) {
      case 0 -> schema.put("type", List.of("null", "boolean"));
      case 1 -> number(schema, "integer");
      case 2 -> number(schema, "number");
      case 3, 4 -> string(schema);
      case 5 -> {
        List<@Nullable Object> values =
            new ArrayList<>(List.of(1, "x\ty", List.of(true, 2), Map.of("k", 0.5), -3.25, "é"));
        values.add(null);
        schema.put("enum", values.subList(random.nextInt(3), 4 + random.nextInt(4)));
      }
      case 6, 7 -> object(schema, depth);
      case 8 -> array(schema, depth);
      case 9 -> schema.put("anyOf", List.of(schema(depth - 1), schema(depth - 1)));
      case 10 -> schema.put("$ref", random.nextBoolean() ? "#/$defs/node" : "#/$defs/leaf");
      default -> {
        schema.put("description", "two parts");
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object(object, depth);
        object.remove("additionalProperties");
        schema.put(
            "allOf",
            List.of(
                object,
                Map.of("properties", Map.of("extra", schema(0)), "required", List.of("extra"))));
      }
    }
    return schema;
  }

  private void number(Map<String, @Nullable Object> schema, String type) {
    schema.put("type", type);
    BigDecimal low = BigDecimal.valueOf(random.nextInt(-2000, 2000), random.nextInt(4));
    if (random.nextBoolean()) {
      schema.put(random.nextBoolean() ? "minimum" : "exclusiveMinimum", low);
    }
    if (random.nextBoolean()) {
      BigDecimal width =
          BigDecimal.valueOf(
              2 + random.nextInt(1000), random.nextInt(type.equals("number") ? 5 : 1));
      schema.put(random.nextBoolean() ? "maximum" : "exclusiveMaximum", low.add(width));
    }
  }

  private void string(Map<String, @Nullable Object> schema) {
    schema.put("type", "string");
    switch (random.nextInt(4)) {
      case 0 -> schema.put("pattern", PATTERNS[random.nextInt(PATTERNS.length)]);
      case 1 ->
          schema.put("format", List.of("date", "time", "date-time", "uuid").get(random.nextInt(4)));
      case 2 -> {
        int min = random.nextInt(4);
        schema.put("minLength", min);
        schema.put("maxLength", min + random.nextInt(9));
      }
      default -> {}
    }
  }

  private void object(Map<String, @Nullable Object> schema, int depth) {
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      String name = NAMES[random.nextInt(NAMES.length)];
      properties.put(name, schema(depth - 1));
      if (random.nextBoolean() && !required.contains(name)) {
        required.add(name);
      }
    }
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", required);
    switch (random.nextInt(4)) {
      case 0 -> schema.put("additionalProperties", false);
      case 1 -> schema.put("additionalProperties", true);
      case 2 -> schema.put("additionalProperties", schema(depth - 1));
      default -> {}
    }
  }

  private void array(Map<String, @Nullable Object> schema, int depth) {
    schema.put("type", "array");
    boolean prefixed = random.nextInt(3) == 0;
    if (prefixed) {
      schema.put("prefixItems", List.of(schema(depth - 1), schema(0)));
    }
    if (random.nextInt(4) > 0) {
      schema.put("items", prefixed && random.nextBoolean() ? (Object) false : schema(depth - 1));
    }
    int min = random.nextInt(3);
    if (random.nextBoolean()) {
      schema.put("minItems", min);
    }
    if (random.nextBoolean()) {
      schema.put("maxItems", min + random.nextInt(3));
    }
  }
}
