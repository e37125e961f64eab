package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * How a task has ended.
 *
 * @param result the whole text of its result, as its task has it; null if it has none
 * @param error why it failed; null if it did not
 */
public record TaskOutputEnd(TaskState status, @Nullable String result, @Nullable String error) {

  public static TaskOutputEnd fromJson(JsonObject in) {
    return new TaskOutputEnd(
        TaskState.valueOf(in.string("status")),
        in.string("result", null),
        in.string("error", null));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("status", status.name())
        .putIfPresent("result", result)
        .putIfPresent("error", error);
  }
}
