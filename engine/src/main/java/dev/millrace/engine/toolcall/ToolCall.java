package dev.millrace.engine.toolcall;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A call of a tool.
 *
 * @param arguments each as JSON, in their order
 */
public record ToolCall(String name, Map<String, String> arguments) {
  public ToolCall {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
  }
}
