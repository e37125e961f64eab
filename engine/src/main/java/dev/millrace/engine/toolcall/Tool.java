package dev.millrace.engine.toolcall;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A function that a model may call.
 *
 * @param name 1 to 128 letters, digits, dots, hyphens and underscores
 * @param parameters the JSON schema of its arguments, in the object model of any JSON reader; empty
 *     for a tool that takes none
 * @param strict whether a schema that cannot be enforced is refused; else such a tool takes any
 *     object
 */
public record Tool(
    String name,
    @Nullable String description,
    Map<String, @Nullable Object> parameters,
    boolean strict) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,128}");

  public Tool {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "tool name \"%s\": 1 to 128 letters, digits, dots, hyphens and underscores are allowed"
              .formatted(name));
    }
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }
}
