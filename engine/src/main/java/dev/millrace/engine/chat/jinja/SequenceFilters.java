package dev.millrace.engine.chat.jinja;

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
  private final Budget budget;
  private final Members members;
  private final Arithmetic arithmetic;

  SequenceFilters(Budget budget, Members members, Arithmetic arithmetic) {
    this.budget = budget;
    this.members = members;
    this.arithmetic = arithmetic;
  }

  Object apply(String name, Object value, Arguments args) {
    return switch (name) {
      case "join" -> join(value, args);
      case "first" -> first(value);
      case "last" -> last(value);
      case "list" -> Types.list(value, budget);
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

  private String join(Object value, Arguments args) {
    args.accept("join", "d", "attribute");
    String between = args.text(0, "d", "");
    Attributes path = Attributes.of(members, args.get(1, "attribute", None.NONE), false, None.NONE);
    StringBuilder out = new StringBuilder();
    boolean first = true;
    for (Object item : Types.list(value, budget)) {
      String text = Text.str(path.get(item));
      budget.grow(out.length(), text.length() + between.length());
      out.append(first ? "" : between).append(text);
      first = false;
    }
    return out.toString();
  }

  private static Object first(Object value) {
    Iterator<?> items = Types.iterate(value);
    return items.hasNext() ? items.next() : new Undefined("No first item, sequence was empty.");
  }

  private Object last(Object value) {
    if (value instanceof Stream) {
      throw new TemplateException("'generator' object is not reversible");
    }
    List<Object> items = Types.list(value, budget);
    return items.isEmpty() ? new Undefined("No last item, sequence was empty.") : items.getLast();
  }

  private Object reverse(Object value) {
    if (Types.isText(value)) {
      return new StringBuilder(Text.str(value)).reverse().toString();
    }
    return Stream.of(Types.list(value, budget).reversed());
  }

  private List<Object> sorted(List<Object> items, Attributes key, boolean reverse) {
    budget.items(items.size() * 8L);
    Comparator<Object> order = (a, b) -> Comparisons.order("<", key.get(a), key.get(b), budget);
    items.sort(reverse ? order.reversed() : order);
    return items;
  }

  private List<Object> sort(Object value, Arguments args) {
    args.accept("sort", "reverse", "case_sensitive", "attribute");
    Object attribute = args.get(2, "attribute", None.NONE);
    List<Object> items = Types.list(value, budget);
    if (attribute instanceof String several && several.contains(",")) {
      // Stable sorts from the last key to the first order by all of them.
      for (String one : List.of(several.split(",")).reversed()) {
        sorted(
            items,
            Attributes.of(members, one, !args.flag(1, "case_sensitive"), None.NONE),
            args.flag(0, "reverse"));
      }
      return items;
    }
    return sorted(
        items,
        Attributes.of(members, attribute, !args.flag(1, "case_sensitive"), None.NONE),
        args.flag(0, "reverse"));
  }

  private List<Object> dictsort(Object value, Arguments args) {
    args.accept("dictsort", "case_sensitive", "by", "reverse");
    if (!(value instanceof Map<?, ?> map)) {
      throw value instanceof Undefined undefined
          ? undefined.fault()
          : new TemplateException("dictsort needs a dict, not " + Types.name(value));
    }
    long by =
        switch (args.text(1, "by", "key")) {
          case "key" -> 0;
          case "value" -> 1;
          default ->
              throw new TemplateException("You can only sort by either \"key\" or \"value\"");
        };
    return sorted(
        ContainerMethods.pairs(map),
        Attributes.of(members, by, !args.flag(0, "case_sensitive"), None.NONE),
        args.flag(2, "reverse"));
  }

  private Stream unique(Object value, Arguments args) {
    args.accept("unique", "case_sensitive", "attribute");
    Attributes key =
        Attributes.of(
            members,
            args.get(1, "attribute", None.NONE),
            !args.flag(0, "case_sensitive"),
            None.NONE);
    Set<Object> seen = new LinkedHashSet<>();
    List<Object> unique = new ArrayList<>();
    for (Object item : Types.list(value, budget)) {
      if (seen.add(Members.key(key.get(item)))) {
        unique.add(item);
      }
    }
    return Stream.of(unique);
  }

  private Object extreme(Object value, Arguments args, String operator) {
    args.accept(operator.equals("<") ? "min" : "max", "case_sensitive", "attribute");
    Attributes key =
        Attributes.of(
            members,
            args.get(1, "attribute", None.NONE),
            !args.flag(0, "case_sensitive"),
            None.NONE);
    Object best = new Undefined("No aggregated item, sequence was empty.");
    for (Object item : Types.list(value, budget)) {
      if (best instanceof Undefined
          || Comparisons.holds(operator, key.get(item), key.get(best), budget)) {
        best = item;
      }
    }
    return best;
  }

  private Object sum(Object value, Arguments args) {
    args.accept("sum", "attribute", "start");
    Attributes key = Attributes.of(members, args.get(0, "attribute", None.NONE), false, None.NONE);
    Object total = args.get(1, "start", 0L);
    for (Object item : Types.list(value, budget)) {
      total = arithmetic.binary("+", total, key.get(item));
    }
    return total;
  }

  private List<Object> groupby(Object value, Arguments args) {
    args.accept("groupby", "attribute", "default", "case_sensitive");
    Object attribute = args.required(0, "attribute");
    Object otherwise = args.get(1, "default", None.NONE);
    Attributes key = Attributes.of(members, attribute, !args.flag(2, "case_sensitive"), otherwise);
    Attributes shown = Attributes.of(members, attribute, false, otherwise);
    List<Object> groups = new ArrayList<>();
    List<Object> group = List.of();
    for (Object item : sorted(Types.list(value, budget), key, false)) {
      if (group.isEmpty() || !Comparisons.equal(key.get(group.getFirst()), key.get(item), budget)) {
        group = new ArrayList<>();
        groups.add(new Group(shown.get(item), group));
      }
      group.add(item);
    }
    return groups;
  }

  private Stream batch(Object value, Arguments args) {
    args.accept("batch", "linecount", "fill_with");
    int size = Math.clamp(args.integer(0, "linecount", 1), 1, Integer.MAX_VALUE);
    Object fill = args.get(1, "fill_with", None.NONE);
    List<Object> batches = new ArrayList<>();
    List<Object> items = Types.list(value, budget);
    for (int from = 0; from < items.size(); from += size) {
      List<Object> batch =
          new ArrayList<>(items.subList(from, (int) Math.min((long) from + size, items.size())));
      fill(batch, size - batch.size(), fill);
      batches.add(batch);
      if (items.size() - from <= size) {
        break;
      }
    }
    return Stream.of(batches);
  }

  private Stream slice(Object value, Arguments args) {
    args.accept("slice", "slices", "fill_with");
    int count = Math.clamp(args.integer(0, "slices", 1), 1, Integer.MAX_VALUE);
    budget.items(count);
    List<Object> items = Types.list(value, budget);
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
    return Stream.of(slices);
  }

  private void fill(List<Object> list, int missing, Object with) {
    if (with != None.NONE && missing > 0) {
      budget.items(missing);
      list.addAll(Collections.nCopies(missing, with));
    }
  }
}
