package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A request to add a task to a stage.
 *
 * @param maxAttempts after how many failed attempts the task fails; null for the stage's setting
 */
public record NewTask(
    JsonObject data,
    JsonObject userMetadata,
    @Nullable Integer maxAttempts,
    @Nullable TraceContext trace) {

  public NewTask {
    if (maxAttempts != null) {
      TaskPolicy.requireAttempts(maxAttempts);
    }
  }

  public static NewTask of(JsonObject data) {
    return new NewTask(data, JsonObject.create(), null, null);
  }

  public NewTask userMetadata(JsonObject value) {
    return new NewTask(data, value, maxAttempts, trace);
  }

  public NewTask maxAttempts(int value) {
    return new NewTask(data, userMetadata, value, trace);
  }

  public NewTask trace(@Nullable TraceContext value) {
    return new NewTask(data, userMetadata, maxAttempts, value);
  }

  public JsonObject toJson() {
    JsonObject out = JsonObject.create().put("data", data);
    JsonFields.putUnlessEmpty(out, "userMetadata", userMetadata);
    out.putIfPresent("maxAttempts", maxAttempts);
    TraceFields.putIfPresent(out, trace);
    return out;
  }
}
