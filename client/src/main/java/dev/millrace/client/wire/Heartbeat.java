package dev.millrace.client.wire;

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
public record Heartbeat(
    boolean cancel, boolean pause, @Nullable Duration lease, @Nullable String reason) {

  public static Heartbeat read(JsonObject in) {
    return new Heartbeat(
        in.flag("cancel", false),
        in.flag("pause", false),
        Fields.secondsOrNull(in, "leaseSeconds"),
        in.string("reason", null));
  }
}
