package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;

/**
 * A line of a job's log.
 *
 * @param cursor its number in the log: what comes after it is asked for with this
 */
public record LogLine(long cursor, Instant at, String level, String line) {
  public static LogLine fromJson(JsonObject in) {
    return new LogLine(
        in.integer("cursor"),
        JsonFields.instant(in, "at"),
        in.has("level") ? in.string("level") : "info",
        in.string("line"));
  }
}
