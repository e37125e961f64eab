package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a heartbeat.
 *
 * @param cancel whether the worker should stop, because the job has ended
 * @param pause whether the job or the stage is paused
 * @param lease how long the claim lasts from now; null where the server does not say
 * @param reason why to stop or to pause
 */
public record HeartbeatResponse(
    boolean cancel, boolean pause, @Nullable Duration lease, @Nullable String reason) {

  public static HeartbeatResponse fromJson(JsonObject in) {
    return new HeartbeatResponse(
        in.flag("cancel", false),
        in.flag("pause", false),
        JsonFields.durationOrNull(in, "leaseSeconds"),
        in.string("reason", null));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("cancel", cancel)
        .put("pause", pause)
        .putIfPresent("leaseSeconds", JsonFields.seconds(lease))
        .putIfPresent("reason", reason);
  }
}
