package dev.millrace.engine.chat.jinja;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The filters of jinja2 that make sense in a prompt, with {@code tojson} as Hugging Face has it.
 */
final class Filters {
  private static final Set<String> NAMES =
      Set.of(
          "abs",
          "attr",
          "batch",
          "capitalize",
          "center",
          "count",
          "d",
          "default",
          "dictsort",
          "e",
          "escape",
          "first",
          "float",
          "forceescape",
          "format",
          "groupby",
          "indent",
          "int",
          "items",
          "join",
          "last",
          "length",
          "list",
          "lower",
          "map",
          "max",
          "min",
          "reject",
          "rejectattr",
          "replace",
          "reverse",
          "round",
          "safe",
          "select",
          "selectattr",
          "slice",
          "sort",
          "string",
          "sum",
          "title",
          "tojson",
          "trim",
          "truncate",
          "unique",
          "upper",
          "wordcount");

  private final Budget budget;
  private final Members members;
  private final TextFilters texts;
  private final SequenceFilters sequences;
  private final ChoiceFilters choices;

  Filters(Budget budget, Members members, Arithmetic arithmetic) {
    this.budget = budget;
    this.members = members;
    this.texts = new TextFilters(budget);
    this.sequences = new SequenceFilters(budget, members, arithmetic);
    this.choices = new ChoiceFilters(budget, members, this);
  }

  static boolean known(String name) {
    return NAMES.contains(name);
  }

  Object apply(String name, Object value, Arguments args) {
    budget.step();
    budget.read(value);
    Object result = result(name, value, args);
    budget.read(result);
    return result;
  }

  private Object result(String name, Object value, Arguments args) {
    return switch (name) {
      case "default", "d" -> otherwise(value, args);
      case "length", "count" -> Types.length(value);
      case "string" -> value instanceof Markup ? value : Text.str(value);
      case "safe" -> new Markup(Text.str(value));
      case "escape", "e" -> Markup.escape(value);
      case "forceescape" -> Markup.escape(Text.str(value));
      case "tojson" -> Json.filter(value, args, budget);
      case "items" -> items(value);
      case "attr" -> attribute(value, args);
      case "abs", "int", "float", "round" -> NumberFilters.apply(name, value, args);
      case "map", "select", "reject", "selectattr", "rejectattr" ->
          choices.apply(name, value, args);
      case "upper",
          "lower",
          "title",
          "capitalize",
          "trim",
          "replace",
          "indent",
          "center",
          "format",
          "truncate",
          "wordcount" ->
          texts.apply(name, value, args);
      default -> {
        if (!known(name)) {
          throw new TemplateException("the filter '" + name + "' is not supported");
        }
        yield sequences.apply(name, value, args);
      }
    };
  }

  private static Object otherwise(Object value, Arguments args) {
    args.accept("default", "default_value", "boolean");
    boolean replace =
        value instanceof Undefined || (args.flag(1, "boolean") && !Types.truth(value));
    return replace ? args.get(0, "default_value", "") : value;
  }

  private static Object items(Object value) {
    return switch (value) {
      case Undefined _ -> Stream.of(List.of());
      case Map<?, ?> map -> Stream.of(ContainerMethods.pairs(map));
      default -> throw new TemplateException("Can only get item pairs from a mapping.");
    };
  }

  /** The attribute, never an item of the same name. */
  private Object attribute(Object value, Arguments args) {
    args.accept("attr", "name");
    String name = Text.str(args.required(0, "name"));
    return value instanceof Map<?, ?>
        ? Undefined.attribute(value, name)
        : members.attribute(value, name);
  }
}
