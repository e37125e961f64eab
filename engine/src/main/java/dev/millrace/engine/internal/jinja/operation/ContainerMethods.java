package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.DictView;
import dev.millrace.engine.internal.jinja.value.GroupByPair;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyCallable;
import dev.millrace.engine.internal.jinja.value.PyRange;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The methods of dicts, lists and tuples. Methods that would change their object fail when called:
 * templates run in an immutable sandbox.
 */
public final class ContainerMethods {
  private static final Set<String> CHANGE_DICT =
      Set.of("pop", "setdefault", "popitem", "update", "clear");
  private static final Set<String> CHANGE_LIST =
      Set.of("extend", "sort", "insert", "pop", "remove", "reverse", "clear", "append");

  private final RenderBudget budget;

  ContainerMethods(RenderBudget budget) {
    this.budget = budget;
  }

  /** The method, bound to its dict; null if dicts have none of that name. */
  @Nullable Object ofDict(Map<?, ?> map, String name) {
    budget.chargeRead(map);
    return switch (name) {
      case "items" -> (PyCallable) args -> view("dict_items", pairs(map), args);
      case "keys" -> (PyCallable) args -> view("dict_keys", new ArrayList<>(map.keySet()), args);
      case "values" ->
          (PyCallable) args -> view("dict_values", new ArrayList<>(map.values()), args);
      case "copy" -> (PyCallable) _ -> new LinkedHashMap<Object, Object>(map);
      case "get" -> (PyCallable) args -> get(map, args);
      default -> CHANGE_DICT.contains(name) ? refused(name, "dict") : null;
    };
  }

  /** The method, bound to its list or tuple; null if there is none of that name. */
  @Nullable Object ofList(List<?> list, String name) {
    budget.chargeRead(list);
    boolean changeable = !(list instanceof Tuple || list instanceof PyRange);
    return switch (name) {
      case "count" ->
          (PyCallable)
              args ->
                  list.stream()
                      .filter(item -> Comparisons.equal(item, args.required(0, "value"), budget))
                      .count();
      case "index" -> (PyCallable) args -> index(list, args.required(0, "value"));
      case "copy" -> changeable ? (PyCallable) _ -> new ArrayList<Object>(list) : null;
      case "grouper" -> list instanceof GroupByPair ? list.get(0) : null;
      case "list" -> list instanceof GroupByPair ? list.get(1) : null;
      default -> changeable && CHANGE_LIST.contains(name) ? refused(name, "list") : null;
    };
  }

  /** The result of jinja2's sandbox for a method that changes its object. */
  private static Undefined refused(String name, String kind) {
    return new Undefined(
        "access to attribute '"
            + name
            + "' of '"
            + kind
            + "' object is unsafe: a template may not change its input");
  }

  public static List<Object> pairs(Map<?, ?> map) {
    List<Object> pairs = new ArrayList<>(map.size());
    map.forEach((key, value) -> pairs.add(Tuple.of(key, value)));
    return pairs;
  }

  private static DictView view(String kind, List<?> items, PyArguments args) {
    args.requireOnly(kind.substring("dict_".length()) + "()");
    return new DictView(kind, items);
  }

  private static Object get(Map<?, ?> map, PyArguments args) {
    args.requireOnly("get()", "key", "default");
    Object value = map.get(PyTypes.hashableKey(args.required(0, "key")));
    return value != null ? value : args.get(1, "default", None.NONE);
  }

  private Object index(List<?> list, Object wanted) {
    for (int i = 0; i < list.size(); i++) {
      if (Comparisons.equal(list.get(i), wanted, budget)) {
        return (long) i;
      }
    }
    throw new ChatTemplateException(PyText.repr(wanted) + " is not in list");
  }
}
