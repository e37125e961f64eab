package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.util.Set;

/**
 * A line that a worker adds to the log of its job.
 *
 * @param level error, warn, info, debug or trace
 */
public record NewLogLine(String level, String line) {
  private static final Set<String> LEVELS = Set.of("error", "warn", "info", "debug", "trace");

  public NewLogLine {
    if (!LEVELS.contains(level)) {
      throw new IllegalArgumentException(
          "level must be error, warn, info, debug or trace, not \"" + level + "\"");
    }
  }

  public JsonObject toJson() {
    return JsonObject.create().put("level", level).put("line", line);
  }
}
