package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a template, of one iteration of a loop, or of a macro call, on top of those of
 * the enclosing scope. A variable ends with its scope.
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
