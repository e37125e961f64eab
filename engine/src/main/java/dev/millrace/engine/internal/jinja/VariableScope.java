package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a template, a loop's round or a macro's call, over those around it. What is set
 * in a scope ends with it.
 */
final class VariableScope {
  private final @Nullable VariableScope outer;
  private final Map<String, Object> variables;

  VariableScope(@Nullable VariableScope outer) {
    this(outer, new HashMap<>());
  }

  VariableScope(@Nullable VariableScope outer, Map<String, Object> variables) {
    this.outer = outer;
    this.variables = variables;
  }

  Object get(String name) {
    for (VariableScope scope = this; scope != null; scope = scope.outer) {
      Object value = scope.variables.get(name);
      if (value != null) {
        return value;
      }
    }
    return Undefined.name(name);
  }

  void set(String name, Object value) {
    variables.put(name, value);
  }
}
