package dev.millrace.api.server;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads and writes lists of objects. */
final class ObjectLists {
  private ObjectLists() {}

  static <T> List<T> read(JsonObject in, String name, Function<JsonObject, T> reader) {
    List<T> out = new ArrayList<>();
    for (Object value : in.list(name)) {
      out.add(reader.apply(JsonObject.of(value, name + "[" + out.size() + "]")));
    }
    return out;
  }

  static <T> List<JsonObject> write(List<T> values, Function<T, JsonObject> writer) {
    return values.stream().map(writer).toList();
  }

  static List<String> strings(JsonObject in, String name) {
    return in.list(name).stream().map(String::valueOf).toList();
  }
}
