package dev.millrace.api;

import dev.millrace.core.json.JsonObject;

/**
 * The answer to a retry: a new job.
 *
 * @param job without its stages
 * @param adopted how many of its tasks it took over from the ended job
 * @param tasks how many tasks it had when it was created; stages that open later may add more
 */
public record RetriedJob(ApiJob job, int adopted, int tasks) {

  public static RetriedJob fromJson(JsonObject in) {
    return new RetriedJob(
        ApiJob.fromJson(in.object("job")),
        JsonFields.integer(in, "adopted"),
        JsonFields.integer(in, "tasks"));
  }

  public JsonObject toJson() {
    return JsonObject.create().put("job", job.toJson()).put("adopted", adopted).put("tasks", tasks);
  }
}
