package dev.millrace.http.openai.response.store;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.http.job.ReservedJobData;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.openai.response.stream.ResponseIds;
import java.util.Optional;

/**
 * A response that is a job.
 *
 * @param owner the name of the key that made it
 * @param flex whether it waits in the queue like any other job
 */
public record StoredResponse(JobId job, String owner, boolean flex, ResponseHead head) {
  private static final String FIELD = ReservedJobData.RESPONSE;

  /** The ids of the response that this job is. */
  public static ResponseIds ids(JobId job) {
    return ResponseIds.of(EntityId.of(job).uuid());
  }

  /** The job that the response with these ids is; empty if it cannot be one. */
  static Optional<JobId> job(ResponseIds ids) {
    return EntityId.of(ids.uuid()).filter(id -> id.stage() == 0).map(EntityId::job);
  }

  /** What the job's data must say; unlike its metadata, they never change. */
  JsonObject toJobData() {
    return JsonObject.create()
        .put(
            FIELD,
            JsonObject.create()
                .put("owner", owner)
                .put("created_at", head.createdAt())
                .put("background", head.background())
                .put("flex", flex)
                .put("request", head.request().values())
                .values());
  }

  /** The response that this job is; empty if it is another kind of job. */
  public static Optional<StoredResponse> of(JobHeader job) {
    if (!job.data().has(FIELD)) {
      return Optional.empty();
    }
    try {
      JsonObject data = job.data().object(FIELD);
      ResponseHead head =
          new ResponseHead(
              ids(job.id()),
              data.integer("created_at"),
              data.flag("background", false),
              data.object("request"));
      return Optional.of(
          new StoredResponse(job.id(), data.string("owner"), data.flag("flex", false), head));
    } catch (JsonException e) {
      return Optional.empty(); // someone else's data of the same name
    }
  }
}
