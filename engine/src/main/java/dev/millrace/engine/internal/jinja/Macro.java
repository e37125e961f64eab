package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.parse.Statement;
import dev.millrace.engine.internal.jinja.parse.Statement.Parameter;
import dev.millrace.engine.internal.jinja.value.MacroValue;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.Tuple;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A macro, or the body of a call block, with the scope that it was defined in. */
record Macro(
    String name, Statement.Signature signature, VariableScope scope, StatementRenderer renderer)
    implements MacroValue {
  @Override
  public Object call(PyArguments args) {
    VariableScope inner = new VariableScope(scope);
    Map<String, Object> named = new LinkedHashMap<>(args.named());
    if (signature.implicit().contains("caller")) {
      Object caller = named.remove("caller");
      inner.set("caller", caller == null ? new Undefined("No caller defined") : caller);
    }
    List<Parameter> parameters = signature.parameters();
    for (int i = 0; i < parameters.size(); i++) {
      Parameter parameter = parameters.get(i);
      Object value =
          i < args.positional().size() ? args.positional().get(i) : named.remove(parameter.name());
      inner.set(parameter.name(), value != null ? value : defaultValue(parameter, inner));
    }
    rest(args, named, inner);
    return renderer.capture(signature.body(), inner);
  }

  private Object defaultValue(Parameter parameter, VariableScope inner) {
    if (parameter.otherwise() == null) {
      return new Undefined("parameter '" + parameter.name() + "' was not provided");
    }
    return renderer.evaluator().evaluate(parameter.otherwise(), inner);
  }

  /**
   * Passes the remaining arguments as {@code varargs} and {@code kwargs} to a macro that uses them;
   * other macros reject them.
   */
  private void rest(PyArguments args, Map<String, Object> named, VariableScope inner) {
    int taken = Math.min(signature.parameters().size(), args.positional().size());
    List<Object> more = args.positional().subList(taken, args.positional().size());
    if (!more.isEmpty() && !signature.implicit().contains("varargs")) {
      throw new ChatTemplateException(
          "macro '"
              + name
              + "' takes not more than "
              + signature.parameters().size()
              + " argument(s)");
    }
    if (!named.isEmpty() && !signature.implicit().contains("kwargs")) {
      throw new ChatTemplateException(
          "macro '"
              + name
              + "' takes no keyword argument '"
              + named.keySet().iterator().next()
              + "'");
    }
    inner.set("varargs", new Tuple(more));
    inner.set("kwargs", new PyArguments(List.of(), named).namedAsDict());
  }
}
