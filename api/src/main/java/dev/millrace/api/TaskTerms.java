package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.util.UUID;

/**
 * What a task's output depends on, as its first attempt fixed it: the model, its hash, parameters
 * and seed. Later terms of the same task replace earlier ones.
 *
 * @param stage the number of the stage in its job, from 1
 * @param task the number of the task in its stage, from 1
 */
public record TaskTerms(UUID taskId, int stage, int task, JsonObject terms) {

  public static TaskTerms fromJson(JsonObject in) {
    return new TaskTerms(
        JsonFields.uuid(in, "taskId"),
        JsonFields.integer(in, "stage"),
        JsonFields.integer(in, "task"),
        in.object("terms"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("taskId", taskId.toString())
        .put("stage", stage)
        .put("task", task)
        .put("terms", terms);
  }
}
