package dev.millrace.engine.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Changes a schema a little, mostly so that its parts refer to each other and multiply. */
final class SchemaMutator {
  private static final int MOST_PARTS = 300;

  private final SplittableRandom random;
  private int parts;

  SchemaMutator(SplittableRandom random) {
    this.random = random;
  }

  Map<String, Object> mutate(Map<String, Object> schema) {
    parts = 0;
    Map<String, Object> copy = copy(schema);
    if (parts > MOST_PARTS) {
      return schema;
    }
    List<Map<String, Object>> all = new ArrayList<>();
    collect(copy, all);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      change(copy, all.get(random.nextInt(all.size())), all);
    }
    return copy;
  }

  private void change(
      Map<String, Object> root, Map<String, Object> part, List<Map<String, Object>> all) {
    Map<String, Object> other = copy(all.get(random.nextInt(all.size())));
    switch (random.nextInt(8)) {
      case 0 -> part.put("allOf", new ArrayList<>(List.of(reference(root), reference(root))));
      case 1 -> part.put("oneOf", new ArrayList<>(List.of(reference(root), other)));
      case 2 ->
          part.put("anyOf", new ArrayList<>(List.of(other, reference(root), reference(root))));
      case 3 -> {
        String name = "p" + random.nextInt(20);
        map(part, "properties").put(name, random.nextBoolean() ? other : reference(root));
        if (random.nextBoolean()) {
          part.put("required", new ArrayList<>(map(part, "properties").keySet()));
        }
      }
      case 4 -> map(root, "$defs").put("d" + random.nextInt(20), other);
      case 5 -> {
        String[] counts = {"maxLength", "minLength", "maxItems", "minItems"};
        part.put(counts[random.nextInt(counts.length)], 1L << random.nextInt(17));
      }
      case 6 -> {
        part.clear();
        part.putAll(other);
      }
      default -> {
        List<String> keys = List.copyOf(part.keySet());
        if (!keys.isEmpty()) {
          part.remove(keys.get(random.nextInt(keys.size())));
        }
      }
    }
  }

  private Map<String, Object> reference(Map<String, Object> root) {
    List<String> names = List.copyOf(map(root, "$defs").keySet());
    Map<String, Object> reference = new LinkedHashMap<>();
    reference.put(
        "$ref", names.isEmpty() ? "#" : "#/$defs/" + names.get(random.nextInt(names.size())));
    return reference;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Map<String, Object> in, String name) {
    if (!(in.get(name) instanceof Map)) {
      in.put(name, new LinkedHashMap<>());
    }
    return (Map<String, Object>) in.get(name);
  }

  private static void collect(Object value, List<Map<String, Object>> into) {
    if (value instanceof Map<?, ?> map) {
      @SuppressWarnings("unchecked")
      Map<String, Object> part = (Map<String, Object>) map;
      into.add(part);
      map.values().forEach(item -> collect(item, into));
    } else if (value instanceof List<?> list) {
      list.forEach(item -> collect(item, into));
    }
  }

  private Map<String, Object> copy(Map<?, ?> map) {
    Map<String, Object> copy = new LinkedHashMap<>();
    map.forEach((key, value) -> copy.put(String.valueOf(key), copy(value)));
    return copy;
  }

  private Object copy(Object value) {
    parts++;
    return switch (value) {
      case Map<?, ?> map -> copy(map);
      case List<?> list -> {
        List<Object> copy = new ArrayList<>();
        list.forEach(item -> copy.add(copy(item)));
        yield copy;
      }
      case null, default -> value;
    };
  }
}
