package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a worker that says it is alive is told.
 *
 * @param cancel whether to stop: the job has ended
 * @param pause whether a user holds the job
 * @param lease how long the claim lives from now; null where the server does not say
 * @param reason why it is cancelled or paused
 */
public record HeartbeatResponse(
    boolean cancel, boolean pause, @Nullable Duration lease, @Nullable String reason) {

  public static HeartbeatResponse fromJson(JsonObject in) {
    return new HeartbeatResponse(
        in.flag("cancel", false),
        in.flag("pause", false),
        JsonFields.secondsOrNull(in, "leaseSeconds"),
        in.string("reason", null));
  }
}
