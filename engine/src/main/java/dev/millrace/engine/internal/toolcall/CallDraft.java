package dev.millrace.engine.internal.toolcall;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call that is being read. */
final class CallDraft {
  private final Map<String, ArgumentTypes> tools;
  private @Nullable String name;

  /** The arguments so far: the beginning of a JSON object. */
  final StringBuilder arguments = new StringBuilder();

  CallDraft(Map<String, ArgumentTypes> tools) {
    this.tools = tools;
  }

  /** Sets the name; false if no such tool is on offer. */
  boolean setName(String called) {
    name = called;
    return tools.containsKey(called);
  }

  @Nullable String name() {
    return name;
  }

  /** The types of the arguments of the tool that is called. */
  ArgumentTypes types() {
    return tools.getOrDefault(name == null ? "" : name, ArgumentTypes.NONE);
  }

  /** Whether the tool is known and its arguments have begun. */
  boolean hasBegun() {
    return name != null && !arguments.isEmpty();
  }
}
