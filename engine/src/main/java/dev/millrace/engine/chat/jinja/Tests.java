package dev.millrace.engine.chat.jinja;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tests of jinja2: {@code value is name(arguments)}. */
final class Tests {
  private static final Map<String, String> COMPARISONS =
      Map.ofEntries(
          Map.entry("==", "=="),
          Map.entry("eq", "=="),
          Map.entry("equalto", "=="),
          Map.entry("!=", "!="),
          Map.entry("ne", "!="),
          Map.entry("<", "<"),
          Map.entry("lt", "<"),
          Map.entry("lessthan", "<"),
          Map.entry("<=", "<="),
          Map.entry("le", "<="),
          Map.entry(">", ">"),
          Map.entry("gt", ">"),
          Map.entry("greaterthan", ">"),
          Map.entry(">=", ">="),
          Map.entry("ge", ">="),
          Map.entry("in", "in"));

  private static final Set<String> NAMES =
      Set.of(
          "defined",
          "undefined",
          "none",
          "boolean",
          "true",
          "false",
          "integer",
          "float",
          "number",
          "string",
          "mapping",
          "sequence",
          "iterable",
          "callable",
          "sameas",
          "escaped",
          "lower",
          "upper",
          "odd",
          "even",
          "divisibleby",
          "filter",
          "test");

  private Tests() {}

  static boolean known(String name) {
    return NAMES.contains(name) || COMPARISONS.containsKey(name);
  }

  static boolean passes(String name, Object value, Arguments args, Budget budget) {
    String operator = COMPARISONS.get(name);
    if (operator != null) {
      return Comparisons.holds(operator, value, args.required(0, "other"), budget);
    }
    return switch (name) {
      case "defined" -> !(value instanceof Undefined);
      case "undefined" -> value instanceof Undefined;
      case "none" -> value == None.NONE;
      case "true" -> Boolean.TRUE.equals(value);
      case "false" -> Boolean.FALSE.equals(value);
      case "sameas" -> same(value, args.required(0, "other"));
      case "lower" -> Casing.isLower(Text.str(value));
      case "upper" -> Casing.isUpper(Text.str(value));
      case "odd" -> Math.floorMod(Types.integer(value, "odd"), 2) == 1;
      case "even" -> Math.floorMod(Types.integer(value, "even"), 2) == 0;
      case "divisibleby" -> divisible(value, args);
      case "filter" -> Filters.known(Text.str(value));
      case "test" -> known(Text.str(value));
      default -> kind(name, value);
    };
  }

  private static boolean kind(String name, Object value) {
    return switch (name) {
      case "boolean" -> value instanceof Boolean;
      case "integer" -> value instanceof Long || value instanceof BigInteger;
      case "float" -> value instanceof Double;
      case "number" -> Comparisons.isNumber(value);
      case "string" -> Types.isText(value);
      case "mapping" -> value instanceof Map;
      case "sequence" ->
          Types.isText(value)
              || value instanceof List
              || value instanceof Map
              || value instanceof Undefined;
      case "iterable" -> Types.isIterable(value);
      case "callable" -> value instanceof Callable || value instanceof Undefined;
      case "escaped" -> value instanceof Markup;
      default -> throw new TemplateException("the test '" + name + "' is not supported");
    };
  }

  /** Identity, where Python's small numbers and literals have one. */
  private static boolean same(Object value, Object other) {
    return value == other
        || (value.getClass() == other.getClass()
            && !(value instanceof List)
            && !(value instanceof Map)
            && value.equals(other));
  }

  private static boolean divisible(Object value, Arguments args) {
    long by = Types.integer(args.required(0, "num"), "divisibleby");
    if (by == 0) {
      throw new TemplateException("division by zero");
    }
    return Types.integer(value, "divisibleby") % by == 0;
  }
}
