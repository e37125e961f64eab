package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.LetterCase;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyCallable;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tests of jinja2: {@code value is name(arguments)}. */
public final class BuiltinTests {
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

  private BuiltinTests() {}

  public static boolean isKnown(String name) {
    return NAMES.contains(name) || COMPARISONS.containsKey(name);
  }

  public static boolean passes(String name, Object value, PyArguments args, RenderBudget budget) {
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
      case "lower" -> LetterCase.isLower(PyText.str(value).text());
      case "upper" -> LetterCase.isUpper(PyText.str(value).text());
      case "odd" -> Math.floorMod(PyTypes.integer(value, "odd"), 2) == 1;
      case "even" -> Math.floorMod(PyTypes.integer(value, "even"), 2) == 0;
      case "divisibleby" -> divisible(value, args);
      case "filter" -> BuiltinFilters.isKnown(PyText.str(value).text());
      case "test" -> isKnown(PyText.str(value).text());
      default -> kind(name, value);
    };
  }

  private static boolean kind(String name, Object value) {
    return switch (name) {
      case "boolean" -> value instanceof Boolean;
      case "integer" -> value instanceof Long || value instanceof BigInteger;
      case "float" -> value instanceof Double;
      case "number" -> Comparisons.isNumber(value);
      case "string" -> PyTypes.isText(value);
      case "mapping" -> value instanceof Map;
      case "sequence" ->
          PyTypes.isText(value)
              || value instanceof List
              || value instanceof Map
              || value instanceof Undefined;
      case "iterable" -> PyTypes.isIterable(value);
      case "callable" -> value instanceof PyCallable || value instanceof Undefined;
      case "escaped" -> value instanceof Markup;
      default -> throw new ChatTemplateException("the test '" + name + "' is not supported");
    };
  }

  /** Identity; small numbers and literals have one in Python. */
  private static boolean same(Object value, Object other) {
    return value == other
        || (value.getClass() == other.getClass()
            && !(value instanceof List)
            && !(value instanceof Map)
            && value.equals(other));
  }

  private static boolean divisible(Object value, PyArguments args) {
    long by = PyTypes.integer(args.required(0, "num"), "divisibleby");
    if (by == 0) {
      throw new ChatTemplateException("division by zero");
    }
    return PyTypes.integer(value, "divisibleby") % by == 0;
  }
}
