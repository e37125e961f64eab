package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;

/**
 * A job document that would be accepted.
 *
 * @param tasks how many it has; a stage with {@code each} counts as many as the one before it
 */
public record CheckedPipeline(int stages, int tasks) {
  public static CheckedPipeline fromJson(JsonObject in) {
    return new CheckedPipeline(JsonFields.integer(in, "stages"), JsonFields.integer(in, "tasks"));
  }

  public JsonObject toJson() {
    return JsonObject.create().put("valid", true).put("stages", stages).put("tasks", tasks);
  }
}
