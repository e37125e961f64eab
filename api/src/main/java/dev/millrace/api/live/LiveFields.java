package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Reads and writes fields of the live records. */
final class LiveFields {
  private LiveFields() {}

  static <T> List<T> list(JsonObject in, String name, Function<JsonObject, T> read) {
    List<T> out = new ArrayList<>();
    for (Object value : in.list(name)) {
      out.add(read.apply(JsonObject.of(value, name + "[" + out.size() + "]")));
    }
    return out;
  }

  static UUID uuid(JsonObject in, String name) {
    return UUID.fromString(in.string(name));
  }

  static int integer(JsonObject in, String name) {
    return Math.toIntExact(in.integer(name, 0));
  }

  /** How many are in each state; all states are written, those without any as 0. */
  static <S extends Enum<S>> JsonObject counts(S[] states, Map<S, Long> counts) {
    JsonObject out = JsonObject.create();
    for (S state : states) {
      out.put(state.name(), counts.getOrDefault(state, 0L));
    }
    return out;
  }

  static <S extends Enum<S>> Map<S, Long> counts(Class<S> states, JsonObject in) {
    Map<S, Long> counts = new LinkedHashMap<>();
    in.values()
        .forEach(
            (name, value) -> counts.put(Enum.valueOf(states, name), ((Number) value).longValue()));
    return counts;
  }
}
