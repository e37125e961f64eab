package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.ContainerMethods;
import dev.millrace.engine.internal.jinja.operation.MemberAccess;
import dev.millrace.engine.internal.jinja.operation.PyArithmetic;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyGenerator;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The filters of jinja2 that are useful in a prompt, with {@code tojson} as in Hugging Face. */
public final class BuiltinFilters {
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

  private final RenderBudget budget;
  private final MemberAccess members;
  private final TextFilters texts;
  private final SequenceFilters sequences;
  private final SelectFilters choices;

  public BuiltinFilters(RenderBudget budget, MemberAccess members, PyArithmetic arithmetic) {
    this.budget = budget;
    this.members = members;
    this.texts = new TextFilters(budget);
    this.sequences = new SequenceFilters(budget, members, arithmetic);
    this.choices = new SelectFilters(budget, members, this);
  }

  public static boolean isKnown(String name) {
    return NAMES.contains(name);
  }

  public Object apply(String name, Object value, PyArguments args) {
    budget.chargeStep();
    budget.chargeRead(value);
    Object result = result(name, value, args);
    budget.chargeRead(result);
    return result;
  }

  private Object result(String name, Object value, PyArguments args) {
    return switch (name) {
      case "default", "d" -> otherwise(value, args);
      case "length", "count" -> PyTypes.length(value);
      case "string" -> value instanceof Markup ? value : PyText.str(value);
      case "safe" -> new Markup(PyText.str(value));
      case "escape", "e" -> Markup.escape(value);
      case "forceescape" -> Markup.escape(PyText.str(value));
      case "tojson" -> ToJsonFilter.filter(value, args, budget);
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
        if (!isKnown(name)) {
          throw new ChatTemplateException("the filter '" + name + "' is not supported");
        }
        yield sequences.apply(name, value, args);
      }
    };
  }

  private static Object otherwise(Object value, PyArguments args) {
    args.requireOnly("default", "default_value", "boolean");
    boolean replace =
        value instanceof Undefined || (args.flag(1, "boolean") && !PyTypes.isTruthy(value));
    return replace ? args.get(0, "default_value", PyString.EMPTY) : value;
  }

  private static Object items(Object value) {
    return switch (value) {
      case Undefined _ -> PyGenerator.of(List.of());
      case Map<?, ?> map -> PyGenerator.of(ContainerMethods.pairs(map));
      default -> throw new ChatTemplateException("Can only get item pairs from a mapping.");
    };
  }

  /** The attribute, never an item of the same name. */
  private Object attribute(Object value, PyArguments args) {
    args.requireOnly("attr", "name");
    String name = PyText.str(args.required(0, "name")).text();
    return value instanceof Map<?, ?>
        ? Undefined.attribute(value, name)
        : members.attribute(value, name);
  }
}
