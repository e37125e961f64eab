package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task in this worker's hands.
 *
 * @param attempt which one this is, from 1
 * @param token to say with every answer; null for a claim without one
 * @param lease how long it lives without a heartbeat
 * @param runTimeout how long this attempt may take; null: as long as it likes
 */
public record ClaimedTask(
    ApiTask task,
    UUID jobId,
    String stageType,
    JsonObject jobData,
    JsonObject stageData,
    int attempt,
    @Nullable String token,
    Duration lease,
    @Nullable Duration runTimeout) {

  /** A stock server, which knows no leases, takes a task back after this time. */
  private static final Duration STOCK_LEASE = Duration.ofMinutes(30);

  public static ClaimedTask fromJson(JsonObject in) {
    ApiTask task = ApiTask.fromJson(in);
    Duration lease = JsonFields.secondsOrNull(in, "leaseSeconds");
    return new ClaimedTask(
        task,
        JsonFields.uuid(in, "jobId"),
        in.string("stageType"),
        in.object("jobData"),
        in.object("stageData"),
        Math.toIntExact(in.integer("attempt", task.attempts() + 1)),
        in.string("token", null),
        lease == null ? STOCK_LEASE : lease,
        JsonFields.secondsOrNull(in, "runTimeoutSeconds"));
  }

  public UUID id() {
    return task.id();
  }
}
