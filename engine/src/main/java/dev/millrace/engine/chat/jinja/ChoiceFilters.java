package dev.millrace.engine.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The filters that are given another filter or a test by name: {@code map}, {@code select} and its
 * kin.
 */
final class ChoiceFilters {
  private final Budget budget;
  private final Members members;
  private final Filters filters;

  ChoiceFilters(Budget budget, Members members, Filters filters) {
    this.budget = budget;
    this.members = members;
    this.filters = filters;
  }

  Object apply(String name, Object value, Arguments args) {
    if (!Types.truth(value)) {
      return Stream.of(List.of()); // None too, unlike with other filters
    }
    return switch (name) {
      case "map" -> map(value, args);
      case "select" -> choose(value, args, false, true);
      case "reject" -> choose(value, args, false, false);
      case "selectattr" -> choose(value, args, true, true);
      default -> choose(value, args, true, false);
    };
  }

  private Stream map(Object value, Arguments args) {
    List<Object> results = new ArrayList<>();
    if (args.positional().isEmpty() && args.named().containsKey("attribute")) {
      new Arguments(List.of(), args.named()).accept("map", "attribute", "default");
      Object otherwise = args.named().getOrDefault("default", None.NONE);
      Attributes path =
          Attributes.of(
              members, args.named().getOrDefault("attribute", None.NONE), false, otherwise);
      Types.list(value, budget).forEach(item -> results.add(path.get(item)));
    } else {
      String filter = Text.str(args.required(0, "filter"));
      Types.list(value, budget)
          .forEach(item -> results.add(filters.apply(filter, item, args.after(1))));
    }
    return Stream.of(results);
  }

  private Stream choose(Object value, Arguments args, boolean byAttribute, boolean wanted) {
    Attributes path =
        Attributes.of(
            members, byAttribute ? args.required(0, "attribute") : None.NONE, false, None.NONE);
    Arguments test = byAttribute ? args.after(1) : args;
    List<Object> chosen = new ArrayList<>();
    for (Object item : Types.list(value, budget)) {
      Object subject = path.get(item);
      boolean passes =
          test.positional().isEmpty()
              ? Types.truth(subject)
              : Tests.passes(
                  Text.str(test.positional().get(0)), subject, withoutName(test), budget);
      if (passes == wanted) {
        chosen.add(item);
      }
    }
    return Stream.of(chosen);
  }

  private static Arguments withoutName(Arguments test) {
    return new Arguments(test.after(1).positional(), Map.copyOf(test.named()));
  }
}
