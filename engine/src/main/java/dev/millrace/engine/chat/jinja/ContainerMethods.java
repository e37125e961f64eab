package dev.millrace.engine.chat.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The methods of dicts, lists and tuples. Those that would change their object are refused when
 * called: templates run in an immutable sandbox.
 */
final class ContainerMethods {
  private static final Set<String> CHANGE_DICT =
      Set.of("pop", "setdefault", "popitem", "update", "clear");
  private static final Set<String> CHANGE_LIST =
      Set.of("extend", "sort", "insert", "pop", "remove", "reverse", "clear", "append");

  private final Budget budget;

  ContainerMethods(Budget budget) {
    this.budget = budget;
  }

  /** The method, bound to its dict; null when dicts have none of that name. */
  @Nullable Object ofDict(Map<?, ?> map, String name) {
    budget.read(map);
    return switch (name) {
      case "items" -> (Callable) args -> view("dict_items", pairs(map), args);
      case "keys" -> (Callable) args -> view("dict_keys", new ArrayList<>(map.keySet()), args);
      case "values" -> (Callable) args -> view("dict_values", new ArrayList<>(map.values()), args);
      case "copy" -> (Callable) _ -> new LinkedHashMap<Object, Object>(map);
      case "get" -> (Callable) args -> get(map, args);
      default -> CHANGE_DICT.contains(name) ? refused(name, "dict") : null;
    };
  }

  /** The method, bound to its list or tuple; null when there is none of that name. */
  @Nullable Object ofList(List<?> list, String name) {
    budget.read(list);
    boolean changeable = !(list instanceof Tuple || list instanceof Range);
    return switch (name) {
      case "count" ->
          (Callable)
              args ->
                  list.stream()
                      .filter(item -> Comparisons.equal(item, args.required(0, "value"), budget))
                      .count();
      case "index" -> (Callable) args -> index(list, args.required(0, "value"));
      case "copy" -> changeable ? (Callable) _ -> new ArrayList<Object>(list) : null;
      case "grouper" -> list instanceof Group ? list.get(0) : null;
      case "list" -> list instanceof Group ? list.get(1) : null;
      default -> changeable && CHANGE_LIST.contains(name) ? refused(name, "list") : null;
    };
  }

  /** What jinja2's sandbox gives in place of a method that changes its object. */
  private static Undefined refused(String name, String kind) {
    return new Undefined(
        "access to attribute '"
            + name
            + "' of '"
            + kind
            + "' object is unsafe: a template may not change its input");
  }

  static List<Object> pairs(Map<?, ?> map) {
    List<Object> pairs = new ArrayList<>(map.size());
    map.forEach((key, value) -> pairs.add(Tuple.of(key, value)));
    return pairs;
  }

  private static View view(String kind, List<?> items, Arguments args) {
    args.accept(kind.substring("dict_".length()) + "()");
    return new View(kind, items);
  }

  private static Object get(Map<?, ?> map, Arguments args) {
    args.accept("get()", "key", "default");
    Object value = map.get(Members.key(args.required(0, "key")));
    return value != null ? value : args.get(1, "default", None.NONE);
  }

  private Object index(List<?> list, Object wanted) {
    for (int i = 0; i < list.size(); i++) {
      if (Comparisons.equal(list.get(i), wanted, budget)) {
        return (long) i;
      }
    }
    throw new TemplateException(Text.repr(wanted) + " is not in list");
  }
}
