package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.internal.grammar.schema.UnsupportedKeywordException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schema without a keyword that cannot be enforced. */
final class LooserSchema {
  private LooserSchema() {}

  /** A copy without the keyword; null if it is not where the exception says. */
  static @Nullable Map<String, @Nullable Object> without(
      Map<String, ? extends @Nullable Object> schema, UnsupportedKeywordException keyword) {
    String path = keyword.path();
    List<String> steps =
        path.startsWith("#/") ? List.of(path.substring(2).split("/", -1)) : List.of();
    return copy(schema, steps, keyword.keyword()) instanceof Map<?, ?> map ? named(map) : null;
  }

  /** A copy in which the schema behind the steps has no such keyword; null if there is none. */
  private static @Nullable Object copy(@Nullable Object from, List<String> steps, String keyword) {
    if (from instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = named(map);
      if (steps.isEmpty()) {
        return copy.containsKey(keyword) ? removed(copy, keyword) : null;
      }
      String name = steps.getFirst().replace("%25", "%").replace("~1", "/").replace("~0", "~");
      Object inner = copy(copy.get(name), steps.subList(1, steps.size()), keyword);
      copy.put(name, inner);
      return inner == null ? null : copy;
    }
    if (from instanceof List<?> list
        && !steps.isEmpty()
        && steps.getFirst().matches("\\d{1,6}")
        && Integer.parseInt(steps.getFirst()) < list.size()) {
      int at = Integer.parseInt(steps.getFirst());
      Object inner = copy(list.get(at), steps.subList(1, steps.size()), keyword);
      List<@Nullable Object> copy = new ArrayList<>(list);
      copy.set(at, inner);
      return inner == null ? null : copy;
    }
    return null;
  }

  private static Map<String, @Nullable Object> removed(
      Map<String, @Nullable Object> schema, String keyword) {
    schema.remove(keyword);
    return schema;
  }

  private static Map<String, @Nullable Object> named(Map<?, ?> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((key, value) -> copy.put(String.valueOf(key), value));
    return copy;
  }
}
