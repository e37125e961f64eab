package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.internal.jinja.operation.MemberAccess;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyGenerator;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The filters that apply another filter or a test by name: {@code map}, {@code select} and similar.
 */
final class SelectFilters {
  private final RenderBudget budget;
  private final MemberAccess members;
  private final BuiltinFilters filters;

  SelectFilters(RenderBudget budget, MemberAccess members, BuiltinFilters filters) {
    this.budget = budget;
    this.members = members;
    this.filters = filters;
  }

  Object apply(String name, Object value, PyArguments args) {
    if (!PyTypes.isTruthy(value)) {
      return PyGenerator.of(List.of()); // None too, unlike with other filters
    }
    return switch (name) {
      case "map" -> map(value, args);
      case "select" -> choose(value, args, false, true);
      case "reject" -> choose(value, args, false, false);
      case "selectattr" -> choose(value, args, true, true);
      default -> choose(value, args, true, false);
    };
  }

  private PyGenerator map(Object value, PyArguments args) {
    List<Object> results = new ArrayList<>();
    if (args.positional().isEmpty() && args.named().containsKey("attribute")) {
      new PyArguments(List.of(), args.named()).requireOnly("map", "attribute", "default");
      Object otherwise = args.named().getOrDefault("default", None.NONE);
      AttributePath path =
          AttributePath.of(
              members, args.named().getOrDefault("attribute", None.NONE), false, otherwise);
      PyTypes.list(value, budget).forEach(item -> results.add(path.get(item)));
    } else {
      String filter = PyText.str(args.required(0, "filter")).text();
      PyTypes.list(value, budget)
          .forEach(item -> results.add(filters.apply(filter, item, args.dropFirst(1))));
    }
    return PyGenerator.of(results);
  }

  private PyGenerator choose(Object value, PyArguments args, boolean byAttribute, boolean wanted) {
    AttributePath path =
        AttributePath.of(
            members, byAttribute ? args.required(0, "attribute") : None.NONE, false, None.NONE);
    PyArguments test = byAttribute ? args.dropFirst(1) : args;
    List<Object> chosen = new ArrayList<>();
    for (Object item : PyTypes.list(value, budget)) {
      Object subject = path.get(item);
      boolean passes =
          test.positional().isEmpty()
              ? PyTypes.isTruthy(subject)
              : BuiltinTests.passes(
                  PyText.str(test.positional().get(0)).text(), subject, withoutName(test), budget);
      if (passes == wanted) {
        chosen.add(item);
      }
    }
    return PyGenerator.of(chosen);
  }

  private static PyArguments withoutName(PyArguments test) {
    return new PyArguments(test.dropFirst(1).positional(), Map.copyOf(test.named()));
  }
}
