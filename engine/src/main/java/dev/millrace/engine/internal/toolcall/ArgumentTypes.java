package dev.millrace.engine.internal.toolcall;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The types of a tool's arguments, by the JSON schema of its parameters. */
public final class ArgumentTypes {
  static final ArgumentTypes NONE = new ArgumentTypes(Map.of());
  private static final Set<String> RESTRICTIONS =
      Set.of(
          "minLength", "maxLength", "pattern", "format", "allOf", "anyOf", "oneOf", "not", "$ref");
  private static final int MAX_DEPTH = 20;

  private final Map<String, ? extends @Nullable Object> schema;
  private final Map<String, ArgumentType> known = new HashMap<>();

  public ArgumentTypes(Map<String, ? extends @Nullable Object> schema) {
    this.schema = schema;
    Map<?, ?> properties = schema.get("properties") instanceof Map<?, ?> map ? map : Map.of();
    properties.forEach((name, property) -> known.put(String.valueOf(name), type(property)));
  }

  ArgumentType of(String name) {
    return known.getOrDefault(name, ArgumentType.ANY);
  }

  /** Whether all arguments together must be an object. */
  boolean areAnObject() {
    return types(schema, 0).equals(Set.of("object"));
  }

  private ArgumentType type(@Nullable Object property) {
    Object target = target(property);
    Set<String> types = types(target, 0);
    boolean text =
        types.equals(Set.of("string"))
            && target instanceof Map<?, ?> map
            && map.keySet().stream().noneMatch(RESTRICTIONS::contains)
            && constants(map).stream().noneMatch(TagArgumentsStep::endsWithin);
    return new ArgumentType(types, text);
  }

  /** Where a schema points that is nothing but a reference. */
  private static @Nullable String referenceOf(@Nullable Object property) {
    return property instanceof Map<?, ?> map
            && map.get("$ref") instanceof String pointer
            && !map.containsKey("type")
            && !map.containsKey("enum")
            && !map.containsKey("const")
        ? pointer
        : null;
  }

  /** The strings that an argument may be; empty if it does not say. */
  List<String> constants(String name) {
    Object property = schema.get("properties") instanceof Map<?, ?> map ? map.get(name) : null;
    return target(property) instanceof Map<?, ?> target ? constants(target) : List.of();
  }

  private static List<String> constants(Map<?, ?> target) {
    if (target.get("const") instanceof String constant) {
      return List.of(constant);
    }
    List<?> values = target.get("enum") instanceof List<?> list ? list : List.of();
    return values.stream().filter(String.class::isInstance).map(String::valueOf).toList();
  }

  /** What a schema describes, behind its references. */
  private @Nullable Object target(@Nullable Object property) {
    Object target = property;
    for (int i = 0; i < MAX_DEPTH && referenceOf(target) instanceof String pointer; i++) {
      target = resolve(pointer);
    }
    return target;
  }

  private @Nullable Object resolve(String pointer) {
    Object at = schema;
    for (String part : pointer.replaceFirst("^#/?", "").split("/", -1)) {
      if (!part.isEmpty()) {
        String name = part.replace("~1", "/").replace("~0", "~");
        at = at instanceof Map<?, ?> map ? map.get(name) : null;
      }
    }
    return at;
  }

  /** The types that a schema allows; empty if it does not say. */
  private Set<String> types(@Nullable Object of, int depth) {
    if (!(of instanceof Map<?, ?> map) || depth > MAX_DEPTH) {
      return Set.of();
    }
    return switch (map.get("type")) {
      case String one -> Set.of(one);
      case List<?> several -> several.stream().map(String::valueOf).collect(Collectors.toSet());
      case null, default -> typesByOtherKeywords(map, depth);
    };
  }

  private Set<String> typesByOtherKeywords(Map<?, ?> map, int depth) {
    if (map.containsKey("const")) {
      return Set.of(typeOf(map.get("const")));
    }
    if (map.get("enum") instanceof List<?> values) {
      return values.stream().map(ArgumentTypes::typeOf).collect(Collectors.toSet());
    }
    if (map.get("$ref") instanceof String pointer) {
      return types(resolve(pointer), depth + 1);
    }
    if (choices(map) instanceof List<?> choices) {
      List<Set<String>> each = new ArrayList<>();
      choices.forEach(choice -> each.add(types(choice, depth + 1)));
      boolean known = each.stream().noneMatch(Set::isEmpty);
      return known ? each.stream().flatMap(Set::stream).collect(Collectors.toSet()) : Set.of();
    }
    if (map.containsKey("properties")) {
      return Set.of("object");
    }
    return map.containsKey("pattern") || map.containsKey("format") ? Set.of("string") : Set.of();
  }

  private static @Nullable List<?> choices(Map<?, ?> map) {
    for (String keyword : List.of("anyOf", "oneOf")) {
      if (map.get(keyword) instanceof List<?> list) {
        return list;
      }
    }
    return null;
  }

  private static String typeOf(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> "string";
      case Boolean flag -> "boolean";
      case Map<?, ?> map -> "object";
      case List<?> list -> "array";
      default -> "number";
    };
  }
}
