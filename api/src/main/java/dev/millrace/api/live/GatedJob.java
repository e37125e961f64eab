package dev.millrace.api.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job that waits for nothing but an approval.
 *
 * @param stage the number of the stage that waits
 */
public record GatedJob(UUID jobId, JobId ownId, @Nullable String name, int stage, UUID stageId) {

  static GatedJob fromJson(JsonObject in) {
    return new GatedJob(
        LiveFields.uuid(in, "jobId"),
        new JobId(in.string("ownId")),
        in.string("name", null),
        LiveFields.integer(in, "stage"),
        LiveFields.uuid(in, "stageId"));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("jobId", jobId.toString())
        .put("ownId", ownId.value())
        .putIfPresent("name", name)
        .put("stage", stage)
        .put("stageId", stageId.toString());
  }
}
