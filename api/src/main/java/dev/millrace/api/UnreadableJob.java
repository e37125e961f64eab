package dev.millrace.api;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import java.util.UUID;

/**
 * A finished job that a dry run of the deletion could not read. A deletion may delete it.
 *
 * @param ownId the job's id in its workspace, as {@code millrace work} prints it
 * @param message why it could not be read
 */
public record UnreadableJob(UUID id, JobId ownId, String message) {

  public static UnreadableJob fromJson(JsonObject in) {
    return new UnreadableJob(
        JsonFields.uuid(in, "id"), new JobId(in.string("ownId")), in.string("message"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("id", id.toString())
        .put("ownId", ownId.value())
        .put("message", message);
  }
}
