package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.ContainerMethods;
import dev.millrace.engine.internal.jinja.operation.MemberAccess;
import dev.millrace.engine.internal.jinja.operation.PyArithmetic;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.GroupByPair;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyGenerator;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The filters over the items of a list, dict or string. */
final class SequenceFilters {
  private final RenderBudget budget;
  private final MemberAccess members;
  private final PyArithmetic arithmetic;

  SequenceFilters(RenderBudget budget, MemberAccess members, PyArithmetic arithmetic) {
    this.budget = budget;
    this.members = members;
    this.arithmetic = arithmetic;
  }

  Object apply(String name, Object value, PyArguments args) {
    return switch (name) {
      case "join" -> join(value, args);
      case "first" -> first(value);
      case "last" -> last(value);
      case "list" -> PyTypes.list(value, budget);
      case "reverse" -> reverse(value);
      case "sort" -> sort(value, args);
      case "dictsort" -> dictsort(value, args);
      case "unique" -> unique(value, args);
      case "min" -> extreme(value, args, "<");
      case "max" -> extreme(value, args, ">");
      case "sum" -> sum(value, args);
      case "groupby" -> groupby(value, args);
      case "batch" -> batch(value, args);
      default -> slice(value, args);
    };
  }

  private PyString join(Object value, PyArguments args) {
    args.requireOnly("join", "d", "attribute");
    PyString between = args.string(0, "d", "");
    AttributePath path =
        AttributePath.of(members, args.get(1, "attribute", None.NONE), false, None.NONE);
    PyString.Builder out = new PyString.Builder();
    boolean first = true;
    for (Object item : PyTypes.list(value, budget)) {
      PyString text = PyText.str(path.get(item));
      budget.chargeAppend(out.length(), text.length() + between.length());
      out.append(first ? PyString.EMPTY : between).append(text);
      first = false;
    }
    return out.build();
  }

  private static Object first(Object value) {
    Iterator<?> items = PyTypes.iterate(value);
    return items.hasNext() ? items.next() : new Undefined("No first item, sequence was empty.");
  }

  private Object last(Object value) {
    if (value instanceof PyGenerator) {
      throw new ChatTemplateException("'generator' object is not reversible");
    }
    List<Object> items = PyTypes.list(value, budget);
    return items.isEmpty() ? new Undefined("No last item, sequence was empty.") : items.getLast();
  }

  private Object reverse(Object value) {
    if (PyTypes.isText(value)) {
      return members.slice(PyText.str(value), None.NONE, None.NONE, -1L);
    }
    return PyGenerator.of(PyTypes.list(value, budget).reversed());
  }

  private List<Object> sorted(List<Object> items, AttributePath key, boolean reverse) {
    budget.chargeItems(items.size() * 8L);
    Comparator<Object> order = (a, b) -> Comparisons.order("<", key.get(a), key.get(b), budget);
    items.sort(reverse ? order.reversed() : order);
    return items;
  }

  private List<Object> sort(Object value, PyArguments args) {
    args.requireOnly("sort", "reverse", "case_sensitive", "attribute");
    Object attribute = args.get(2, "attribute", None.NONE);
    List<Object> items = PyTypes.list(value, budget);
    if (attribute instanceof PyString several && several.text().contains(",")) {
      // Stable sorts from the last key to the first order by all of them.
      for (String one : List.of(several.text().split(",")).reversed()) {
        sorted(
            items,
            AttributePath.of(
                members, PyString.ofTemplate(one), !args.flag(1, "case_sensitive"), None.NONE),
            args.flag(0, "reverse"));
      }
      return items;
    }
    return sorted(
        items,
        AttributePath.of(members, attribute, !args.flag(1, "case_sensitive"), None.NONE),
        args.flag(0, "reverse"));
  }

  private List<Object> dictsort(Object value, PyArguments args) {
    args.requireOnly("dictsort", "case_sensitive", "by", "reverse");
    if (!(value instanceof Map<?, ?> map)) {
      throw value instanceof Undefined undefined
          ? undefined.toException()
          : new ChatTemplateException("dictsort needs a dict, not " + PyTypes.typeName(value));
    }
    long by =
        switch (args.string(1, "by", "key").text()) {
          case "key" -> 0;
          case "value" -> 1;
          default ->
              throw new ChatTemplateException("You can only sort by either \"key\" or \"value\"");
        };
    return sorted(
        ContainerMethods.pairs(map),
        AttributePath.of(members, by, !args.flag(0, "case_sensitive"), None.NONE),
        args.flag(2, "reverse"));
  }

  private PyGenerator unique(Object value, PyArguments args) {
    args.requireOnly("unique", "case_sensitive", "attribute");
    AttributePath key =
        AttributePath.of(
            members,
            args.get(1, "attribute", None.NONE),
            !args.flag(0, "case_sensitive"),
            None.NONE);
    Set<Object> seen = new LinkedHashSet<>();
    List<Object> unique = new ArrayList<>();
    for (Object item : PyTypes.list(value, budget)) {
      if (seen.add(PyTypes.hashableKey(key.get(item)))) {
        unique.add(item);
      }
    }
    return PyGenerator.of(unique);
  }

  private Object extreme(Object value, PyArguments args, String operator) {
    args.requireOnly(operator.equals("<") ? "min" : "max", "case_sensitive", "attribute");
    AttributePath key =
        AttributePath.of(
            members,
            args.get(1, "attribute", None.NONE),
            !args.flag(0, "case_sensitive"),
            None.NONE);
    Object best = new Undefined("No aggregated item, sequence was empty.");
    for (Object item : PyTypes.list(value, budget)) {
      if (best instanceof Undefined
          || Comparisons.holds(operator, key.get(item), key.get(best), budget)) {
        best = item;
      }
    }
    return best;
  }

  private Object sum(Object value, PyArguments args) {
    args.requireOnly("sum", "attribute", "start");
    AttributePath key =
        AttributePath.of(members, args.get(0, "attribute", None.NONE), false, None.NONE);
    Object total = args.get(1, "start", 0L);
    for (Object item : PyTypes.list(value, budget)) {
      total = arithmetic.binary("+", total, key.get(item));
    }
    return total;
  }

  private List<Object> groupby(Object value, PyArguments args) {
    args.requireOnly("groupby", "attribute", "default", "case_sensitive");
    Object attribute = args.required(0, "attribute");
    Object otherwise = args.get(1, "default", None.NONE);
    AttributePath key =
        AttributePath.of(members, attribute, !args.flag(2, "case_sensitive"), otherwise);
    AttributePath shown = AttributePath.of(members, attribute, false, otherwise);
    List<Object> groups = new ArrayList<>();
    List<Object> group = List.of();
    for (Object item : sorted(PyTypes.list(value, budget), key, false)) {
      if (group.isEmpty() || !Comparisons.equal(key.get(group.getFirst()), key.get(item), budget)) {
        group = new ArrayList<>();
        groups.add(new GroupByPair(shown.get(item), group));
      }
      group.add(item);
    }
    return groups;
  }

  private PyGenerator batch(Object value, PyArguments args) {
    args.requireOnly("batch", "linecount", "fill_with");
    int size = Math.clamp(args.integer(0, "linecount", 1), 1, Integer.MAX_VALUE);
    Object fill = args.get(1, "fill_with", None.NONE);
    List<Object> batches = new ArrayList<>();
    List<Object> items = PyTypes.list(value, budget);
    for (int from = 0; from < items.size(); from += size) {
      List<Object> batch =
          new ArrayList<>(items.subList(from, (int) Math.min((long) from + size, items.size())));
      fill(batch, size - batch.size(), fill);
      batches.add(batch);
      if (items.size() - from <= size) {
        break;
      }
    }
    return PyGenerator.of(batches);
  }

  private PyGenerator slice(Object value, PyArguments args) {
    args.requireOnly("slice", "slices", "fill_with");
    int count = Math.clamp(args.integer(0, "slices", 1), 1, Integer.MAX_VALUE);
    budget.chargeItems(count);
    List<Object> items = PyTypes.list(value, budget);
    List<Object> slices = new ArrayList<>();
    int each = items.size() / count;
    int longer = items.size() % count;
    int from = 0;
    for (int i = 0; i < count; i++) {
      int to = from + each + (i < longer ? 1 : 0);
      List<Object> slice = new ArrayList<>(items.subList(from, to));
      fill(slice, i >= longer && longer > 0 ? 1 : 0, args.get(1, "fill_with", None.NONE));
      slices.add(slice);
      from = to;
    }
    return PyGenerator.of(slices);
  }

  private void fill(List<Object> list, int missing, Object with) {
    if (with != None.NONE && missing > 0) {
      budget.chargeItems(missing);
      list.addAll(Collections.nCopies(missing, with));
    }
  }
}
