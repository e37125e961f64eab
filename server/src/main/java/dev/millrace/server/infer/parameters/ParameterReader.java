package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoublePredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters of a task, from the data of its stage and its input, with their types. Every
 * error names the field, its value and the rule; a JSON null counts as absent.
 */
final class ParameterReader {
  private static final int LONGEST_SHOWN = 80;

  private final Map<String, @Nullable Object> values;

  private ParameterReader(Map<String, @Nullable Object> values) {
    this.values = values;
  }

  /**
   * The fields of the input override those of the data; an input that is text is the field {@code
   * prompt}.
   *
   * @param known the names of all supported fields; any other is refused
   */
  static ParameterReader of(JsonObject data, @Nullable Object input, Set<String> known) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(data.values());
    switch (input) {
      case null -> {}
      case String text -> all.put("prompt", text);
      case Map<?, ?> map -> all.putAll(JsonObject.of(map, "the input").values());
      case JsonObject object -> all.putAll(object.values());
      default ->
          throw new TaskRefused(
              "the input is %s; it must be text, or an object of parameters"
                  .formatted(shown(input)));
    }
    for (String name : all.keySet()) {
      if (!known.contains(name)) {
        throw TaskRefused.ofParameter(
            name,
            "parameter \"%s\" is not known here; known are: %s"
                .formatted(name, String.join(", ", new TreeSet<>(known))));
      }
    }
    return new ParameterReader(all);
  }

  boolean has(String name) {
    return values.get(name) != null;
  }

  @Nullable Object get(String name) {
    return values.get(name);
  }

  /** Refuses two fields that exclude each other. */
  void rejectBoth(String one, String other) {
    if (has(one) && has(other)) {
      throw TaskRefused.ofParameter(
          other, "parameters \"%s\" and \"%s\" exclude each other; give one".formatted(one, other));
    }
  }

  @Nullable String text(String name) {
    return switch (values.get(name)) {
      case null -> null;
      case String text -> text;
      case Object value -> throw invalid(name, value, "text");
    };
  }

  @Nullable Boolean flag(String name) {
    return switch (values.get(name)) {
      case null -> null;
      case Boolean flag -> flag;
      case Object value -> throw invalid(name, value, "true or false");
    };
  }

  @Nullable Double number(String name, DoublePredicate holds, String rule) {
    return switch (values.get(name)) {
      case null -> null;
      case Number number when holds.test(number.doubleValue()) -> number.doubleValue();
      case Object value -> throw invalid(name, value, rule);
    };
  }

  @Nullable Long whole(String name, long least, long most, String rule) {
    Object value = values.get(name);
    if (value == null) {
      return null;
    }
    Long number = value instanceof Number given ? whole(given) : null;
    if (number == null || number < least || number > most) {
      throw invalid(name, value, rule);
    }
    return number;
  }

  @Nullable Integer integer(String name, int least, String rule) {
    Long value = whole(name, least, Integer.MAX_VALUE, rule);
    return value == null ? null : value.intValue();
  }

  private static @Nullable Long whole(Number number) {
    try {
      return number instanceof BigDecimal decimal
          ? Long.valueOf(decimal.longValueExact())
          : Long.valueOf(new BigDecimal(number.toString()).longValueExact());
    } catch (ArithmeticException | NumberFormatException e) {
      return null;
    }
  }

  /** A list of objects; null if absent. */
  @Nullable List<Map<String, @Nullable Object>> objects(String name, String rule) {
    Object value = values.get(name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof List<?> list)) {
      throw invalid(name, value, rule);
    }
    List<Map<String, @Nullable Object>> objects = new ArrayList<>();
    for (Object element : list) {
      if (!(element instanceof Map<?, ?>)) {
        throw invalid(name, element, rule);
      }
      objects.add(JsonObject.of(element, name).values());
    }
    return objects;
  }

  /** A list of token ids; null if absent. */
  int @Nullable [] tokens(String name) {
    String rule = "a list of token ids, each a whole number of at least 0";
    Object value = values.get(name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof List<?> list)) {
      throw invalid(name, value, rule);
    }
    int[] ids = new int[list.size()];
    for (int i = 0; i < ids.length; i++) {
      Long id = list.get(i) instanceof Number number ? whole(number) : null;
      if (id == null || id < 0 || id > Integer.MAX_VALUE) {
        throw invalid(name, list.get(i), rule);
      }
      ids[i] = id.intValue();
    }
    return ids;
  }

  /** A text, or a list of texts; empty if absent. */
  List<String> texts(String name, String rule) {
    Object value = values.get(name);
    List<?> given = value == null ? List.of() : value instanceof List<?> l ? l : List.of(value);
    List<String> texts = new ArrayList<>();
    for (Object element : given) {
      if (!(element instanceof String text) || text.isEmpty()) {
        throw invalid(name, element, rule);
      }
      texts.add(text);
    }
    return texts;
  }

  static TaskRefused invalid(String name, @Nullable Object value, String rule) {
    return TaskRefused.ofParameter(
        name, "parameter \"%s\" is %s; it must be %s".formatted(name, shown(value), rule));
  }

  private static String shown(@Nullable Object value) {
    return cut(Json.write(value));
  }

  /** As much of a client's text as an error repeats. */
  static String cut(String text) {
    return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
  }
}
