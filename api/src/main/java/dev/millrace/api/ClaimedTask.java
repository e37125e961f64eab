package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task that a worker has claimed, with what the worker needs to process it.
 *
 * @param attempt the number of this attempt, from 1
 * @param token the fencing token to send with every report; null for a claim without one
 * @param lease how long the claim lasts without a heartbeat; null where the server does not say
 * @param runTimeout how long this attempt may take; null for no limit
 */
public record ClaimedTask(
    ApiTask task,
    UUID jobId,
    String stageType,
    JsonObject jobData,
    JsonObject stageData,
    int attempt,
    @Nullable String token,
    @Nullable Duration lease,
    @Nullable Duration runTimeout) {

  /** A Jobnik server has no leases, and takes a task back after this time. */
  private static final Duration JOBNIK_LEASE = Duration.ofMinutes(30);

  public static ClaimedTask fromJson(JsonObject in) {
    ApiTask task = ApiTask.fromJson(in);
    return new ClaimedTask(
        task,
        JsonFields.uuid(in, "jobId"),
        in.string("stageType"),
        in.object("jobData"),
        in.object("stageData"),
        Math.toIntExact(in.integer("attempt", task.attempts() + 1)),
        in.string("token", null),
        JsonFields.durationOrNull(in, "leaseSeconds"),
        JsonFields.durationOrNull(in, "runTimeoutSeconds"));
  }

  public JsonObject toJson() {
    JsonObject out = task.toJson().put("jobId", jobId.toString()).put("stageType", stageType);
    JsonFields.putUnlessEmpty(out, "jobData", jobData);
    return out.put("stageData", stageData)
        .put("attempt", attempt)
        .putIfPresent("token", token)
        .putIfPresent("leaseSeconds", JsonFields.seconds(lease))
        .putIfPresent("runTimeoutSeconds", JsonFields.seconds(runTimeout));
  }

  public UUID id() {
    return task.id();
  }

  /** The lease, or that of a Jobnik server where this one names none. */
  public Duration leaseOrDefault() {
    return lease == null ? JOBNIK_LEASE : lease;
  }
}
