package dev.millrace.api;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/**
 * A finished job that a dry run of the deletion lists.
 *
 * @param ownId the job's id in its workspace, as {@code millrace work} prints it
 */
public record PrunableJob(UUID id, JobId ownId, JobState status, Instant endTime) {

  public static PrunableJob fromJson(JsonObject in) {
    return new PrunableJob(
        JsonFields.uuid(in, "id"),
        new JobId(in.string("ownId")),
        JsonFields.enumConstant(JobState.class, in, "status"),
        JsonFields.instant(in, "endTime"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("id", id.toString())
        .put("ownId", ownId.value())
        .put("status", status.name())
        .put("endTime", endTime.toString());
  }
}
