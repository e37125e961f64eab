package dev.millrace.api.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job with a task that waits for a worker.
 *
 * @param type of that task
 * @param place in the queue, from 1
 * @param eta the time until it starts, at the recent speed; null if that is not known
 */
public record WaitingJob(
    UUID jobId,
    JobId ownId,
    @Nullable String name,
    String type,
    Priority priority,
    int place,
    @Nullable Duration eta,
    Instant creationTime) {

  static WaitingJob fromJson(JsonObject in) {
    return new WaitingJob(
        LiveFields.uuid(in, "jobId"),
        new JobId(in.string("ownId")),
        in.string("name", null),
        in.string("type"),
        Priority.valueOf(in.string("priority")),
        LiveFields.integer(in, "place"),
        in.has("etaSeconds") ? Duration.ofSeconds(in.integer("etaSeconds")) : null,
        Instant.parse(in.string("creationTime")));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("jobId", jobId.toString())
        .put("ownId", ownId.value())
        .putIfPresent("name", name)
        .put("type", type)
        .put("priority", priority.name())
        .put("place", place)
        .putIfPresent("etaSeconds", eta == null ? null : eta.toSeconds())
        .put("creationTime", creationTime.truncatedTo(ChronoUnit.MILLIS).toString());
  }
}
