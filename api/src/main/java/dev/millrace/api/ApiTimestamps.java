package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a job or a task was created, changed, started and ended.
 *
 * @param startTime null until it starts
 * @param endTime null until it reaches a final status
 */
public record ApiTimestamps(
    Instant creationTime,
    Instant updateTime,
    @Nullable Instant startTime,
    @Nullable Instant endTime) {

  static ApiTimestamps fromJson(JsonObject in) {
    return new ApiTimestamps(
        JsonFields.instant(in, "creationTime"),
        JsonFields.instant(in, "updateTime"),
        JsonFields.instantOrNull(in, "startTime"),
        JsonFields.instantOrNull(in, "endTime"));
  }

  void putInto(JsonObject out) {
    out.put("creationTime", creationTime.toString())
        .put("updateTime", updateTime.toString())
        .putIfPresent("startTime", JsonFields.text(startTime))
        .putIfPresent("endTime", JsonFields.text(endTime));
  }
}
